/** Actions of the user on the review of a conversation, from outside of VS Code's own lists and editors. */
export interface ReviewActions {
  /** Opens the changes of the conversation, or of the turn with this prompt, in the multi-file diff editor. */
  open(conversation: string, entryId?: string): Promise<void>;
  keep(conversation: string, entryId?: string): Promise<void>;
  undo(conversation: string, entryId?: string): Promise<void>;
  /**
   * Restores the files to before this prompt, after the user has seen and confirmed what changes. Resolves with false
   * if the user cancelled. `alsoConversation`: the caller restores the conversation afterwards, which the question
   * mentions.
   */
  rewind(conversation: string, entryId: string, alsoConversation: boolean): Promise<boolean>;
}

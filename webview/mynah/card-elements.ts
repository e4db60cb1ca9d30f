/**
 * The card elements of all tabs. It does not search inside cards, which can be very large, because each drawing calls
 * it.
 */
export function cardElements(root: Element): readonly HTMLElement[] {
  const tabs = root.querySelector(".mynah-ui-tab-contents-wrapper")?.children ?? [];
  const lists = [...tabs].flatMap(tab =>
    [...tab.children].filter(part => part.classList.contains("mynah-chat-items-container")),
  );
  const groups = lists.flatMap(list => [...list.children]);
  return groups.flatMap(group =>
    [...group.children].filter(
      (card): card is HTMLElement => card instanceof HTMLElement && card.classList.contains("mynah-chat-item-card"),
    ),
  );
}

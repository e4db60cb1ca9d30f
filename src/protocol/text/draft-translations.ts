/**
 * Languages whose translation has not been reviewed by a native speaker. The settings page shows a note about this.
 * Remove a language after its review.
 */
export const DRAFT_TRANSLATIONS: readonly string[] = ["de", "ja", "zh-cn"];

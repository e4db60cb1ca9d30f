/** Styles over mynah-ui's, which are put into the page late and one by one: ours win by being more specific. */
export const styles = `
.symposium-spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/** Hides mynah's invisible animations, which cost rendering time. */
export const speedStyles = `
/* mynah's splash, invisible, goes on turning its wheel: a frame sixty times a second, for ever. */
#symposium .mynah-ui-splash-loader-wrapper, #symposium .mynah-ui-gradient-background { display: none !important; }
`;

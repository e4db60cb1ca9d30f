/** A style sheet as text. webpack.config.js removes its white space and comments. */
declare module "*.css" {
  const text: string;
  export default text;
}

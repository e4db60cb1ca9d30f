/** A TOML file as text. */
declare module "*.toml" {
  const text: string;
  export default text;
}

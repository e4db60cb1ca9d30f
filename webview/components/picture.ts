/** Icons from untrusted sources: only images in `data:` URIs are loaded. Pure. */

const PICTURE = /^data:image\/(?:svg\+xml|png|jpeg|gif|webp|avif|x-icon|vnd\.microsoft\.icon)[;,]/i;
const MAX_ADDRESS_LENGTH = 1_000_000;

export const isPicture = (address: string): boolean => address.length <= MAX_ADDRESS_LENGTH && PICTURE.test(address);

/**
 * Style that draws the icon as a mask in the text colour, because registry icons use `currentColor`, which an `<img>`
 * renders black. `undefined` if the icon has its own colours, or if its address is not safe in a style.
 */
export function maskOf(address: string): string | undefined {
  const isMonochrome =
    isPicture(address) && /^data:image\/svg\+xml/i.test(address) && /currentColor/i.test(contentOf(address));
  return isMonochrome && /^[\w.~!*',;:=@&$/?%+-]+$/.test(address) ? `mask-image: url("${address}")` : undefined;
}

function contentOf(address: string): string {
  const comma = address.indexOf(",");
  const [kind, content] = [address.slice(0, comma), address.slice(comma + 1)];
  try {
    return /;base64$/i.test(kind) ? atob(content) : decodeURIComponent(content);
  } catch {
    return "";
  }
}

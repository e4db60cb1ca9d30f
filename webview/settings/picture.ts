/** The icons of strangers: pictures in `data:` addresses, and nothing else is loaded. Pure. */

const PICTURE = /^data:image\/(?:svg\+xml|png|jpeg|gif|webp|avif|x-icon|vnd\.microsoft\.icon)[;,]/i;
const MOST = 1_000_000;

export const isPicture = (address: string): boolean => address.length <= MOST && PICTURE.test(address);

/**
 * Whether it is drawn in the colour of the text around it, as icons of the registry are. An `<img>` knows of no text
 * and paints it black, so it is the mask of a patch of that colour; `undefined` where it is not, or its address could
 * say more in a style than an address.
 */
export function maskOf(address: string): string | undefined {
  const isInk =
    isPicture(address) && /^data:image\/svg\+xml/i.test(address) && /currentColor/i.test(contentOf(address));
  return isInk && /^[\w.~!*',;:=@&$/?%+-]+$/.test(address) ? `mask-image: url("${address}")` : undefined;
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

// Whether an argument names a registry or a layout folder. Apart from the grammar, because every command asks this and few need the rest.

/** What both kinds of reference begin with. */
export const SCHEME: RegExp = /^oci:\/\/|^oci-layout:/i

/** Right or wrong. A file of such a name is written `./oci-layout:…`. */
export function isOciReference(text: string): boolean {
  return SCHEME.test(text)
}

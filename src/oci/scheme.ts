// What tells a reference to a registry or a layout folder, and a digest in one, from other texts.

/** What both kinds of reference begin with. */
export const SCHEME: RegExp = /^oci:\/\/|^oci-layout:/i

/** Right or wrong. A file of such a name is written `./oci-layout:…`. */
export function isOciReference(text: string): boolean {
  return SCHEME.test(text)
}

/** `sha256:` and 64 hex digits: how a registry names bytes. */
export const DIGEST: RegExp = /^sha256:[0-9a-f]{64}$/

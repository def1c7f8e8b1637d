// How a bundle was carried. Each wrapper has a file in bundle/wrappers/ and one in io/wrappers/.

/** What may be around an archive on its way. */
export const WRAPPER_NAMES = ['gzip'] as const

export type WrapperName = (typeof WRAPPER_NAMES)[number]

/** How a bundle was carried: as it is, in a wrapper, or unpacked. */
export type BundleForm = 'archive' | WrapperName | 'directory'

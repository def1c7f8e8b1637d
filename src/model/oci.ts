// What is stored in an OCI registry, or in an image layout on disk, and how it is named (docs/registries.md).

/** A repository of a registry. */
export interface RegistryPlace {
  readonly in: 'registry'
  /** Normalised: lower case, IPv6 in brackets. */
  readonly host: string
  readonly port: number | undefined
  readonly repository: string
}

/** A registry, or a part of its repositories: `oci://HOST[:PORT]/[PARTS/]`. */
export interface RegistryPrefix extends Omit<RegistryPlace, 'repository'> {
  /** The first parts of repositories; none for all of them. */
  readonly parts: readonly string[]
}

/** A folder in the form of an OCI image layout. */
export interface LayoutPlace {
  readonly in: 'layout'
  readonly folder: string
}

/** `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX]` or `oci-layout:FOLDER[:TAG][@sha256:HEX]`. */
export interface OciReference {
  readonly place: RegistryPlace | LayoutPlace
  readonly tag: string | undefined
  /** `sha256:` and 64 hex digits, lower case: of a manifest. */
  readonly digest: string | undefined
}

/** What one document says of another: its type, name and size. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly artifactType?: string | undefined
  readonly annotations?: Readonly<Record<string, string>>
}

/** A manifest with one layer: of a bundle, or of something that is attached to one. */
export interface OciManifest {
  readonly artifactType: string | undefined
  readonly config: Descriptor
  readonly layer: Descriptor
  /** What it is attached to. */
  readonly subject: Descriptor | undefined
  readonly annotations: Readonly<Record<string, string>>
}

/** A list of manifests. */
export interface OciIndex {
  readonly manifests: readonly Descriptor[]
  /** The same in the same order, with every member that others wrote. */
  readonly written: readonly object[]
  /** The whole document as it was read. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Bytes of a manifest or index as they are stored. */
export interface StoredManifest {
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** Computed from the bytes. */
  readonly digest: string
}

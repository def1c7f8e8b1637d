// Writes the manifests of bundles and of documents that are attached to them, one byte sequence for one content, and strictly reads those
// of others.

import { hash } from 'node:crypto'
import type { Descriptor, OciManifest } from '../model/oci.ts'
import { own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import { SIGSTORE_BUNDLE_TYPE } from '../sigstore/sigstore-bundle.ts'
import { bundleIdentity } from '../version/reference.ts'
import {
  ATTESTATION_TYPE,
  BUNDLE_LAYER_TYPE,
  BUNDLE_TYPE,
  EMPTY_TYPE,
  ENVELOPE_TYPE,
  MANIFEST_TYPE,
  readDescriptor,
  readRoot,
  readTexts,
  SIGNATURE_TYPE,
  writeDescriptor,
} from './document.ts'

const TITLE = 'org.opencontainers.image.title'
const VERSION = 'org.opencontainers.image.version'
const IDENTITY = 'vnd.runloop.agent.identity'

/** The content of an empty config: two bytes, and a blob like any other. */
export const EMPTY_CONFIG: Uint8Array = Buffer.from('{}')
export const CONFIG = {
  mediaType: EMPTY_TYPE,
  digest: sha256Of(EMPTY_CONFIG),
  size: EMPTY_CONFIG.length,
  data: Buffer.from(EMPTY_CONFIG).toString('base64'),
}

interface BundleFacts {
  /** `<name>[@variant]-<version>.agent.bundle`: without it other clients write no file. */
  readonly title: string
  readonly version: string
  /** BLAKE3 of manifest.toml, lower-case hex. */
  readonly identity: string
  /** `sha256:…` of the bundle. */
  readonly digest: string
  readonly size: number
}

/** No clock and no order of chance: one bundle has one manifest. Its annotations are hints, and no reader believes them. */
export function writeBundleManifest({ title, version, identity, digest, size }: BundleFacts): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: BUNDLE_TYPE,
      config: CONFIG,
      layers: [{ mediaType: BUNDLE_LAYER_TYPE, digest, size, annotations: { [TITLE]: title } }],
      annotations: { [VERSION]: version, [IDENTITY]: bundleIdentity(identity) },
    }),
  )
}

/** `blake3:…` as an annotation of a bundle's manifest claims it: a hint that nothing may rest on. */
export function statedIdentity({ annotations }: Pick<OciManifest, 'annotations'>): string | undefined {
  return own(annotations, IDENTITY) as string | undefined
}

/** @param mediaType as the answer states it, or the descriptor that led here */
export function readStored(bytes: Uint8Array, mediaType: string): Reading<OciManifest> {
  const root = readRoot(bytes, mediaType, MANIFEST_TYPE)
  if ('problem' in root) return root
  const { value } = root
  if (own(value, 'manifests') !== undefined)
    return {
      problem: 'it has "manifests" beside its layers, so that two readers could see different content',
    }
  const layers = own(value, 'layers')
  if (!Array.isArray(layers) || layers.length !== 1)
    return { problem: `it has ${Array.isArray(layers) ? layers.length : 'no'} layers; exactly one is read` }
  const layer = readDescriptor(layers[0])
  if ('problem' in layer) return { problem: `its layer ${layer.problem}` }
  const config = readDescriptor(own(value, 'config'))
  if ('problem' in config) return { problem: `its config ${config.problem}` }
  const about = own(value, 'subject')
  const subject = about === undefined ? undefined : readDescriptor(about)
  if (subject !== undefined && 'problem' in subject) return { problem: `its subject ${subject.problem}` }
  const annotations = readTexts(own(value, 'annotations'))
  const artifactType = own(value, 'artifactType')
  if (annotations === undefined) return { problem: 'its annotations are not texts' }
  if (artifactType !== undefined && typeof artifactType !== 'string')
    return { problem: 'its artifactType is not a text' }
  return {
    value: { artifactType, config: config.value, layer: layer.value, subject: subject?.value, annotations },
  }
}

/** The manifest of a bundle. */
export function readBundleManifest(bytes: Uint8Array, mediaType: string): Reading<OciManifest> {
  return ofType(readStored(bytes, mediaType), BUNDLE_TYPE, BUNDLE_LAYER_TYPE, 'an agent bundle')
}

/** The manifest of a signature that is attached to a bundle. */
export function readSignatureManifest(bytes: Uint8Array, mediaType: string): Reading<OciManifest> {
  return ofType(readStored(bytes, mediaType), SIGNATURE_TYPE, ENVELOPE_TYPE, 'a signature')
}

/** The manifest of a statement that is attached to a bundle. */
export function readAttestationManifest(bytes: Uint8Array, mediaType: string): Reading<OciManifest> {
  return ofType(readStored(bytes, mediaType), ATTESTATION_TYPE, ENVELOPE_TYPE, 'a statement')
}

/** The manifest of a Sigstore bundle that is attached to a bundle, as other programs write it too. */
export function readSigstoreManifest(bytes: Uint8Array, mediaType: string): Reading<OciManifest> {
  return ofType(readStored(bytes, mediaType), SIGSTORE_BUNDLE_TYPE, SIGSTORE_BUNDLE_TYPE, 'a Sigstore bundle')
}

function ofType(
  read: Reading<OciManifest>,
  artifactType: string,
  layerType: string,
  what: string,
): Reading<OciManifest> {
  if ('problem' in read) return read
  if (read.value.artifactType !== artifactType)
    return { problem: `it is no manifest of ${what}: its artifactType is not ${artifactType}` }
  return read.value.layer.mediaType === layerType ? read : { problem: `its layer is not ${layerType}` }
}

/** Something that is attached to a bundle: one document of one type. */
export interface AttachedDocument {
  readonly artifactType: string
  readonly mediaType: string
  readonly content: Uint8Array
}

export function signatureDocument(envelope: Uint8Array): AttachedDocument {
  return { artifactType: SIGNATURE_TYPE, mediaType: ENVELOPE_TYPE, content: envelope }
}

export function attestationDocument(envelope: Uint8Array): AttachedDocument {
  return { artifactType: ATTESTATION_TYPE, mediaType: ENVELOPE_TYPE, content: envelope }
}

export function sigstoreDocument(bundle: Uint8Array): AttachedDocument {
  return { artifactType: SIGSTORE_BUNDLE_TYPE, mediaType: SIGSTORE_BUNDLE_TYPE, content: bundle }
}

/** @param subject the manifest of the bundle that the document is about */
export function writeAttachedManifest(
  { artifactType, mediaType: layerType, content }: AttachedDocument,
  { mediaType, digest, size }: Descriptor,
): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType,
      config: CONFIG,
      layers: [{ mediaType: layerType, digest: sha256Of(content), size: content.length }],
      subject: writeDescriptor({ mediaType, digest, size }),
    }),
  )
}

export function sha256Of(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}

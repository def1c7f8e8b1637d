// A bundle that is looked at: a path or a reference that is typed, or what a program has of one.

import type { AttestationsGiven } from '../io/bundle/read-attestations.ts'
import { placeTyped } from '../io/layout-folder.ts'
import type { At, Input } from '../verb/index.ts'
import { type BundleGiven, type BundleTarget, bundleTarget } from './bundle-input.ts'

/** One bundle: at a place, as bytes, or loaded before. @param doing for messages: `explain` */
export function bundle(describe: string, doing: string): Input<BundleGiven, BundleTarget> {
  return {
    type: 'BundleGiven',
    typed: { type: 'string', names: 'bundle', describe },
    isLive: true,
    fromTyped: (label: string, { world }: At) => ({
      target: placeTyped(label, world.cwd),
      attestations: undefined,
    }),
    fromGiven: (given, { world }) => bundleTarget(given, world, doing),
  }
}

/** Judged with what it came with, unless the caller says otherwise. */
export function judgedWith<T extends { readonly attestations?: AttestationsGiven | undefined }>(
  options: T,
  { attestations }: BundleTarget,
): T {
  return options.attestations !== undefined || attestations === undefined
    ? options
    : { ...options, attestations }
}

// What the SARIF 2.1.0 of every command has in common: its head, its driver, its places and its texts.

import { VERSION } from '../../model/rlp-version.ts'
import { printable } from '../../text/printable.ts'
import { uriOf } from './place.ts'

export const SARIF_SCHEMA =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
/** Readers resolve paths against their checkout; GitHub knows this name. */
const BASE = '%SRCROOT%'

export const SARIF_BASES = { [BASE]: { description: { text: 'The folder that rlp was run in.' } } } as const

export function driverOf<Rule>(name: string, rules: readonly Rule[]) {
  return { name, version: VERSION, semanticVersion: VERSION, language: 'en', rules }
}

/** @param path absolute */
export function artifactOf(cwd: string, path: string) {
  const { uri, isRelative } = uriOf(cwd, path)
  return isRelative ? { uri, uriBaseId: BASE } : { uri }
}

/** SARIF's plain text has links, `[text](target)`: text from a bundle must not become one. */
export function sarifText(text: string): string {
  return printable(text).replaceAll('](', '] (')
}

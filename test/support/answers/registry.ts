// The functions that sign, keep keys, state evidence, and exchange bundles with registries.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attest, provenance, sbom } from '../../../src/library/generated/evidence.ts'
import { pull, push, sign } from '../../../src/library/generated/index.ts'
import { copy, detach, listVersions } from '../../../src/library/generated/registry.ts'
import { keyGenerate, keyImport, keyList, keyShow } from '../../../src/library/generated/trust.ts'
import type { AnswerOf } from './line.ts'

/** Of `agent list` with a reference. */
export const listStoredAnswer: AnswerOf = ({ cwd, args: [from = ''], env }) =>
  listVersions(from, { cwd, env })

/** The value behind an option. */
function behind(args: readonly string[], option: string): string {
  const value = args[args.indexOf(option) + 1]
  if (value === undefined || !args.includes(option)) throw new TypeError(`the line has no ${option}`)
  return value
}

/** The list that a command answers for one bundle. */
async function one<T extends { readonly changed: boolean }>(answer: Promise<T>) {
  const only = await answer
  return { changed: only.changed, bundles: [only] }
}

export const REGISTRY_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'key generate': ({ args: [name = ''], env }) => keyGenerate(name, { passphrase: false, env }),
  'key import': ({ cwd, args: [name = '', key = ''], env }) =>
    keyImport(name, key, { passphrase: false, cwd, env }),
  'key list': ({ env }) => keyList({ env }),
  'key show': ({ cwd, args: [key = ''], env }) => keyShow(key, { cwd, env }),
  'agent sign': ({ cwd, args, env }) => one(sign(args[0] ?? '', { key: behind(args, '--key'), cwd, env })),
  'agent sbom': ({ cwd, args: [bundle = ''], env }) => one(sbom(bundle, { cwd, env })),
  'agent provenance': ({ cwd, args, env }) => {
    const options = { builder: behind(args, '--builder'), key: behind(args, '--key'), cwd, env }
    return one(provenance(args[0] ?? '', options))
  },
  'agent attest': ({ cwd, args, env }) => {
    const predicate = readFileSync(join(cwd, behind(args, '--predicate')))
    const options = { type: behind(args, '--type'), predicate, key: behind(args, '--key'), cwd, env }
    return one(attest(args[0] ?? '', options))
  },
  'agent push': ({ cwd, args: [bundle = '', to = ''], env }) => one(push(bundle, to, { cwd, env })),
  'agent copy': ({ cwd, args: [from = '', to = ''], env }) => one(copy(from, to, { cwd, env })),
  'agent detach': ({ cwd, args, env }) => {
    const options = { type: behind(args, '--type'), by: behind(args, '--by'), cwd, env }
    return detach(args[0] ?? '', options)
  },
  'agent pull': ({ cwd, args, env }) => {
    const options = { expect: behind(args, '--expect'), outDir: behind(args, '--out-dir'), cwd, env }
    return pull(args[0] ?? '', options)
  },
}

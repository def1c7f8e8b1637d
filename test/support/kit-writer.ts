// A question of `run.mjs --writers --lines` → what rlp writes, or why it refuses, in the codes of docs/spec/writing.md.
import { copyFileSync, rmSync } from 'node:fs'
import { pack, sign } from '../../src/library/generated/index.ts'
import { countedFindings } from '../../src/lint/lint.ts'
import { RlpError } from '../../src/model/error.ts'
import { readSource } from '../../src/pack/pack-agent.ts'
import { readCandidate } from '../../src/verify/examine.ts'
import { lookInto } from '../../src/verify/sound.ts'

/** As `questionFor` in fixtures/conformance/writers.mjs makes it. */
export interface Question {
  readonly kind: 'pack' | 'sign'
  readonly input: string
  readonly output: string
  readonly key: string | null
  readonly notAfter: string | null
  readonly renew: string | null
}

export async function writtenFor(question: Question) {
  try {
    await (question.kind === 'pack' ? pack(question.input, { out: question.output }) : signed(question))
    return { verdict: 'written', codes: [] }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    const codes =
      question.kind === 'pack' ? await foundIn(question.input) : await whyUnsigned(question, error)
    return { verdict: 'refused', codes }
  }
}

/** It signs a bundle in its place. */
async function signed({ input, output, key, notAfter, renew }: Question): Promise<void> {
  copyFileSync(input, output)
  try {
    await sign(output, {
      key: key ?? '',
      ...(notAfter !== null && { notAfter }),
      // The kit knows nothing of this machine's policies.
      ...(renew !== null && { renew, home: false }),
    })
  } catch (error) {
    rmSync(output)
    throw error
  }
}

/** Of a folder, where the kit speaks of its archive. */
const IN_A_FOLDER: Readonly<Record<string, string>> = {
  'files/name': 'not_canonical',
  'files/case-twin': 'not_canonical',
  'files/link': 'not_packable',
  'files/signatures': 'not_packable',
  'files/left-out': 'manifest/file-missing',
}

async function foundIn(folder: string): Promise<string[]> {
  try {
    return await lintedIn(folder)
  } catch (error) {
    // Of .bundleignore, and of names that are not UTF-8.
    if (error instanceof RlpError) return ['not_packable']
    throw error
  }
}

async function lintedIn(folder: string): Promise<string[]> {
  const { agent } = await readSource({ path: folder, label: folder }, 'all', {
    signal: new AbortController().signal,
  })
  const errors = countedFindings(agent, new Date()).filter(({ severity }) => severity === 'error')
  const codes = errors.map(({ rule }) => IN_A_FOLDER[rule] ?? rule)
  const first = codes.find(code => code.startsWith('not_'))
  return first === undefined ? codes : [first, ...codes]
}

const BY_ERROR: Readonly<Record<string, string>> = {
  USAGE: 'statement_malformed',
  EXISTS: 'not_signable',
  LIMIT_EXCEEDED: 'signature_malformed',
}

async function whyUnsigned({ input }: Question, { code }: RlpError): Promise<string[]> {
  if (code !== 'NOT_VERIFIED') return [BY_ERROR[code] ?? code]
  const { candidate } = await readCandidate(input, { expect: 'any' }, 'parsed')
  const { report } = await lookInto(candidate)
  const codes = report.checks.flatMap(({ reasons }) => reasons.map(({ code: reason }) => reason))
  return codes.filter(reason => reason !== 'no_signature')
}

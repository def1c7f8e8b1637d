// rlp agent inspect: shows what a bundle is and may do, from bytes that were held against its digests.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { rootsFor } from '../io/root/roots.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeResult } from '../io/write/new-files.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { bundleFileName } from '../pack/pack.ts'
import { readEnvelope } from '../signature/envelope.ts'
import { readAnchor } from '../signature/kinds/index.ts'
import { signatureBundles } from '../sigstore/sigstore-bundle.ts'
import { printable } from '../text/printable.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { compared } from './compared.ts'
import { readableMay } from './diff.ts'
import { printPage } from './formats/index.ts'
import { inspectedBundle } from './inspected-bundle.ts'
import { oneTarget, type SeenBundle, seeBundle } from './look-into.ts'
import { PAGE_OPTIONS, type PageArgs, pageFormat } from './options.ts'
import { makePage } from './page/make-page.ts'

export const command = defineCommand({
  name: 'agent inspect',
  summary: 'signers and contents of a bundle, and what each tool needs',
  positionals: [
    {
      name: 'bundle',
      required: true,
      names: 'installed',
      describe: 'a bundle, an unpacked bundle, or the name of an installed agent',
    },
  ],
  options: {
    ...PAGE_OPTIONS,
    against: {
      type: 'string',
      placeholder: 'OLD',
      describe: 'another version: what is new since then comes first',
    },
    'signature-bundle': {
      type: 'string',
      placeholder: 'FOLDER',
      describe: 'write each signature into a file there, as a Sigstore bundle for cosign; no page is made',
    },
    ...TRUST_OPTIONS,
    root: LOOK_UP_OPTION,
  },
  examples: [
    ['rlp agent inspect dist/mailer-0.1.0.agent.bundle', 'before it is installed'],
    ['rlp agent inspect mailer', 'the agent that is installed under this name'],
    [
      'rlp agent inspect dist/mailer-0.1.0.agent.bundle --against mailer',
      'what is new since what is installed',
    ],
    ['rlp agent inspect mailer --out mailer.html', 'a page for a reviewer'],
    ['rlp agent inspect mailer --json', 'for a program'],
    [
      'rlp agent inspect dist/mailer-0.1.0.agent.bundle --signature-bundle signatures',
      'its signatures, for other programs',
    ],
  ],
  notes:
    'The verdict of rlp agent verify comes first. The exit code is 0 for every bundle that is sound, whether or not its signers are trusted: rlp agent verify is the gate. It is 1 if the bundle is invalid or its contents cannot be read, and 3 if the file cannot be read.\n\npolicy.caps and the overrides on this host decide whether a need is granted.',
  async run(args, io) {
    pageFormat(args)
    refuseNoPage(args)
    const roots = await rootsFor(args.root, io.cwd)
    const target = await oneTarget('inspect', args.bundle, io, roots)
    const options = { signal: io.signal, ...trustOf(args, io) }
    const seen = await seeBundle(target, options)
    if (args.signatureBundle !== undefined) return signaturesWritten(seen, args.signatureBundle, args, io)
    const { report, agent } = seen
    const old = args.against === undefined ? undefined : await oneTarget('compare', args.against, io, roots)
    const before = old && (await compared(old, options, io))
    const result = await inspectedBundle(seen, before, io.signal)
    const { against, powers, findings, wrong } = result
    const { verdict, reasons } = report
    const isUnread =
      verdict === 'indeterminate' && ['unreadable', 'timed_out'].includes(reasons[0]?.code ?? '')
    await printPage(args, io, {
      tool: 'agent.inspect',
      result,
      warnings: warningLines([report]),
      page: () =>
        makePage({
          target: report.target,
          report,
          now: seen.trust.now,
          agent,
          may: readableMay(agent),
          powers: powers ?? undefined,
          inspected: result,
          findings,
          against: before && against && { ...before, diff: against.changes },
        }),
    })
    if (verdict === 'invalid' || isUnread) return VERDICTS[verdict].exit as ExitCode
    return wrong === undefined ? EXIT.ok : EXIT.bundle
  },
})

/** @throws UsageError for what is about a page, where none is made */
function refuseNoPage(
  args: Pick<PageArgs, 'format' | 'out'> & Record<'signatureBundle' | 'against', string | undefined>,
) {
  if (args.signatureBundle === undefined) return
  const field = (['out', 'format', 'against'] as const).find(option => args[option] !== undefined)
  if (field === undefined) return
  throw new UsageError(`Cannot use --${field} with --signature-bundle: no page is made`, {
    field,
    hint: 'Leave one of them out',
  })
}

async function signaturesWritten(
  seen: SeenBundle,
  named: string,
  args: Pick<PageArgs, 'force'> & GlobalArgs,
  io: Io,
): Promise<ExitCode> {
  const folder = namedPath(named, io.cwd)
  const result = await writeSignatureBundles(seen, {
    folder,
    label: named,
    force: args.force,
    signal: io.signal,
  })
  report(io, args, {
    tool: 'agent.inspect',
    result,
    text: () => {
      const ok = createStyle(io.color).green(SYMBOLS.ok)
      return result.signatures
        .map(({ file, signer }) => `${ok} ${printable(`${file}: ${signer}`)}\n`)
        .join('')
    },
  })
  return EXIT.ok
}

/** The answer of `rlp agent inspect --signature-bundle`. */
export interface WrittenSignatures {
  readonly report: Report
  readonly signatures: readonly {
    readonly file: string
    /** Anchor string of the key. */
    readonly signer: string
  }[]
  /** Whether one of the files was written: those with the same content stay. */
  readonly changed: boolean
}

interface Where {
  /** Absolute. */
  readonly folder: string
  readonly label: string
  readonly force: boolean
  readonly signal: AbortSignal
}

/**
 * One file for each signature, called after the bundle and the key: a signature that is added later changes no other file.
 * @throws RlpError NOT_VERIFIED for a bundle without signatures, or with one that is wrong; as `writeResult`
 */
async function writeSignatureBundles(
  { report, agent }: SeenBundle,
  { folder, label, force, signal }: Where,
): Promise<WrittenSignatures> {
  const wrong = report.checks.find(({ step, result }) => step === 'signature' && result !== 'passed')
  const envelope = readEnvelope(agent?.files.get(SIGNATURE_FILE)?.bytes ?? new Uint8Array())
  if (agent === undefined || wrong !== undefined || !envelope.ok)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot write the signatures of "${report.target}": ${wrong?.detail ?? report.reasons[0]?.message ?? 'it has no signatures'}`,
      { hint: 'Only signatures that are valid are written' },
    )
  const name = bundleFileName(agent).replace(/\.agent\.bundle$/, '')
  const files = signatureBundles(envelope.value).map(({ signer, text }) => {
    const file = `${name}.${keyPart(signer)}.sigstore.json`
    return { signer, text, path: join(folder, file), label: join(label, file) }
  })
  const signatures = files.map(({ signer, label }) => ({ file: label, signer }))
  const undo = await makeParents(folder)
  try {
    return { report, signatures, changed: await writeResult(files, { force, signal }) }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Of a key, in signs that every file name may have. */
function keyPart(signer: string): string {
  const read = readAnchor(signer)
  if (!('key' in read)) throw new TypeError('a valid signature has a key')
  return createHash('sha256').update(read.key.bytes).digest('hex').slice(0, 16)
}

// rlp agent inspect: the verdict on one bundle, then everything that is in it.
import { resolve } from 'node:path'
import { defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../format/text/printable.ts'
import { expandHome } from '../io/home.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { UsageError } from '../model/usage-error.ts'
import { VERDICTS } from '../model/verdict.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { compared } from './compared.ts'
import { diffAgents, readableMay } from './diff.ts'
import { printPage } from './formats/print.ts'
import { inspect, overridesOf } from './inspected.ts'
import { oneTarget, type SeenBundle, seeBundle, wrongContents } from './look-into.ts'
import { PAGE_OPTIONS, type PageArgs, pageFormat } from './options.ts'
import { advise } from './page/advise.ts'
import { makePage } from './page/make-page.ts'
import { powersIn } from './page/powers.ts'
import { writeSignatureBundles } from './signature-bundles.ts'

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
    const inspected = inspect(seen)
    const may = readableMay(agent)
    const powers = may && agent && powersIn(agent, overridesOf(seen))
    const against = before && agent && may && { ...before, diff: diffAgents(before.agent, agent) }
    const findings = await advise(agent, io.signal)
    const { target: label, verdict, reasons, form, agent: named, identity } = report
    const { overrides, policies, files, skipped, carried } = report
    const isUnread =
      verdict === 'indeterminate' && ['unreadable', 'timed_out'].includes(reasons[0]?.code ?? '')
    await printPage(args, io, {
      tool: 'agent.inspect',
      result: {
        ...{ target: label, verdict, reasons, form, agent: named, identity },
        ...inspected,
        powers: powers ?? null,
        findings,
        against: against && { ...against.side, changes: against.diff },
        ...{ files, policies, overrides, skipped },
        carried,
        warnings: report.warnings,
      },
      warnings: warningLines([report]),
      page: () =>
        makePage({
          ...{ target: label, report, now: seen.trust.now, agent, may, powers },
          ...{ inspected, findings, against },
        }),
    })
    if (verdict === 'invalid' || isUnread) return VERDICTS[verdict].exit as ExitCode
    return wrongContents(report) === undefined ? EXIT.ok : EXIT.bundle
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
    ...{ field, hint: 'Leave one of them out' },
  })
}

async function signaturesWritten(
  seen: SeenBundle,
  named: string,
  args: Pick<PageArgs, 'force'> & GlobalArgs,
  io: Io,
): Promise<ExitCode> {
  const folder = resolve(io.cwd, expandHome(named))
  const written = await writeSignatureBundles(seen, {
    ...{ folder, label: named, force: args.force, signal: io.signal },
  })
  const { target, verdict, identity } = seen.report
  report(io, args, {
    tool: 'agent.inspect',
    result: { target, verdict, identity, signatures: written },
    text: () => {
      const ok = createStyle(io.color).green(SYMBOLS.ok)
      return written.map(({ file, signer }) => `${ok} ${printable(`${file}: ${signer}`)}\n`).join('')
    },
  })
  return EXIT.ok
}

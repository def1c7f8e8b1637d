// rlp agent verify: one of nine verdicts for each bundle.

import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { plural } from '../format/text/counts.ts'
import { LOCK_OPTIONS, LOOK_UP_OPTION, lockOf, TRUST_OPTIONS, trustOf } from '../install/options.ts'
import { findBundles, type Target } from '../io/find-agents.ts'
import { rootsFor } from '../io/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { readLockSource } from '../trust/read-lock.ts'
import { renderVerification } from './render.ts'
import { countsOf, renderOneOfMany, summaryOf } from './render-many.ts'
import { exitOf } from './verify.ts'
import { verifyWith } from './verify-file.ts'

export const command = defineCommand({
  name: 'agent verify',
  summary: 'the verdict on a bundle, and what was checked for it',
  positionals: [
    {
      name: 'bundle',
      required: true,
      many: true,
      names: 'installed',
      describe: 'a bundle, an unpacked bundle, a folder of bundles, or the name of an installed agent',
    },
  ],
  options: {
    expect: {
      type: 'string',
      placeholder: 'NAME[@VARIANT][@RANGE]',
      describe:
        'which agent it has to be, or blake3:HEX for one bundle; "any" waives it. A name, and a file called <name>-<version>.agent.bundle, imply it',
    },
    ...TRUST_OPTIONS,
    ...LOCK_OPTIONS,
    'allow-unsigned': { type: 'boolean', describe: 'exit 0 for a sound bundle without signature' },
    root: LOOK_UP_OPTION,
  },
  examples: [
    ['rlp agent verify dist/mailer-0.1.0.agent.bundle', 'one bundle'],
    ['rlp agent verify dist', 'every bundle in a folder, one line for each'],
    ['rlp agent verify dist --json | jq -e .result.passed', 'the same for a program'],
    ['rlp agent verify upload.bin --expect mailer@^0.1', 'a file whose name does not tell the agent'],
    ['rlp agent verify dist --locked', 'every bundle as rlp.lock pins it'],
    ['rlp agent verify mailer', 'the agent that is installed under this name'],
  ],
  notes: `Verdicts, in order of precedence, with exit codes: ${Object.entries(VERDICTS)
    .map(([verdict, { exit }]) => `${verdict} ${exit}`)
    .join(
      ', ',
    )}. With several bundles the first of them in this order decides.\n\nOne bundle gets a whole report. Of several, each that is accepted gets a line, and each other one its reasons. --quiet leaves out what is accepted.\n\nWith --json, "ok" says that the command could run; "result.passed" says that every bundle is accepted.`,
  async run(args, io) {
    const targets = await findBundles(args.bundle, io.cwd, async reference => {
      const { findInstalled } = await import('../io/find-installed.ts')
      return findInstalled(reference, await rootsFor(args.root, io.cwd))
    })
    const lockPath = lockOf(args, io)
    const lock = lockPath === undefined ? undefined : await readLockSource(lockPath)
    const judged: Judged[] = []
    const bundles: Report[] = []
    const warnings: string[] = []
    const style = createStyle(io.color)
    for (const target of targets) {
      const one = await verifyOne(target)
      const exit = exitOf(one) as ExitCode
      // Printed one by one: thousands of reports need not be in memory, and the first can be read at once.
      if (args.json) bundles.push(one.report)
      else if (exit !== EXIT.ok || !args.quiet) io.stdout(textOf(one.report, exit))
      judged.push({ verdict: one.report.verdict, exit })
      if (await isForeign(one.report, target)) warnings.push(`${target.label}: ${packHint(target.label)}`)
    }
    const exit = worstOf(judged)
    const verdicts = judged.map(({ verdict }) => verdict)
    const result = {
      bundles,
      passed: exit === EXIT.ok,
      summary: { bundles: judged.length, ...countsOf(verdicts) },
    }
    report(io, args, { tool: 'agent.verify', result, warnings, text: () => '' })
    if (judged.length > 1) note(io, args, summaryOf(verdicts))
    const unsigned = judged.filter(({ verdict }) => verdict === 'unsigned').length
    if (unsigned > 0 && !args.allowUnsigned) {
      note(io, args, `${plural(unsigned, 'bundle')} without signature: their author is unknown`)
    }
    return exit

    function textOf(one: Report, exit: ExitCode): string {
      if (targets.length === 1) return renderVerification(one, style, io.columns)
      return renderOneOfMany(one, exit === EXIT.ok, style, io.columns)
    }

    function verifyOne({ path, label, reference }: Target) {
      const expect = args.expect ?? reference
      const { allowUnsigned } = args
      const { signal, onProgress } = io
      const options = {
        expect,
        allowUnsigned,
        signal,
        onProgress,
        label,
        ...(lock && { lock }),
        ...trustOf(args, io),
      }
      return verifyWith(path, options, 'parsed')
    }
  },
})

/** Whether it is an archive of another program, which `pack` takes, and no damaged bundle. */
async function isForeign({ reasons, form }: Report, { path, label }: Target): Promise<boolean> {
  if (reasons[0]?.code !== 'not_canonical' || form === 'directory' || isOciReference(path)) return false
  return (await import('../pack/foreign-archive.ts')).looksForeign(path, label)
}

interface Judged {
  readonly verdict: Report['verdict']
  readonly exit: ExitCode
}

/** The verdict that comes first in the table decides. A flag changes the number of a verdict, never the word. */
function worstOf(judged: readonly Judged[]): ExitCode {
  const words = Object.keys(VERDICTS)
  const failing = judged.filter(({ exit }) => exit !== 0)
  failing.sort((a, b) => words.indexOf(a.verdict) - words.indexOf(b.verdict))
  return failing[0]?.exit ?? 0
}

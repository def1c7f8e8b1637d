// rlp agent pull: a bundle from a registry or a layout folder, verified, into a folder.
import { join } from 'node:path'
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { noReference } from '../io/reference.ts'
import { EXIT } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { judgingOf, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { refuseJudged, renderVerification } from '../verify/render.ts'
import { pullBundle } from './pull.ts'

export const command = defineCommand({
  name: 'agent pull',
  summary: 'fetch a bundle from a registry, verify it, and put it in a folder',
  positionals: [
    {
      name: 'from',
      required: true,
      complete: 'none',
      lists: ['reference'],
      describe: 'oci://… or oci-layout:…, with a tag or a digest',
    },
  ],
  options: {
    'out-dir': { type: 'string', placeholder: 'DIR', default: '.', describe: 'where the file goes' },
    force: { type: 'boolean', describe: 'replace a file with other content' },
    expect: {
      type: 'string',
      placeholder: 'NAME[@VARIANT][@RANGE]',
      describe:
        'which agent it has to be, or blake3:HEX for one bundle; oci://HOST/…/<name>:<version> implies it',
    },
    ...TRUST_OPTIONS,
    'allow-unsigned': { type: 'boolean', describe: 'keep a sound bundle without signature' },
  },
  examples: [
    ['rlp agent pull oci://registry.example/agents/mailer:0.1.0', 'into the current folder'],
    ['rlp agent pull oci-layout:store:0.1.0 --expect mailer --out-dir dist', 'from a layout folder'],
    [
      'rlp agent pull oci://registry.example/agents/mailer@sha256:… --expect mailer@^0.1',
      'pinned by its digest',
    ],
  ],
  notes:
    'The verdict and the exit code are those of rlp agent verify; only what they accept is written. The file is called after the agent in it, with the signatures of reviewers that were added in the registry and whom your policy names. A file of that name stays if it is the same, and is not replaced without --force.',
  async run(args, io) {
    const { from, outDir, force, expect } = args
    if (!isOciReference(from))
      throw noReference(from, {
        message: `Cannot pull "${from}": it is no reference`,
        field: 'from',
        hint: 'Write oci://HOST/REPOSITORY:TAG or oci-layout:FOLDER:TAG',
      })
    const outcome = await pullBundle({
      from: absolute(from, io.cwd),
      folder: namedPath(outDir, io.cwd),
      label: outDir,
      force,
      judging: { ...judgingOf(args, io), label: from, expect },
    })
    if (outcome.is === 'not-accepted') {
      const { report, unread } = outcome
      const extra = { carried: report.carried }
      return refuseJudged(report, { doing: 'pull', tool: 'agent.pull', unread, extra }, args, io)
    }
    const { name, isNew, pulled } = outcome
    const { report: verified } = pulled
    const file = join(outDir, name)
    report(io, args, {
      tool: 'agent.pull',
      result: pulled,
      warnings: warningLines([verified]),
      quiet: [file],
      text: () => {
        const style = createStyle(io.color)
        const done = `${style.green(SYMBOLS.ok)} ${printable(file)}${isNew ? '' : ' is there already'}`
        return `${renderVerification(verified, style, io.columns)}${done}\n`
      },
    })
    return EXIT.ok
  },
})

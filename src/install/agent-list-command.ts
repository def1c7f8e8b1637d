// rlp agent list: installed bundles, with their verdict under today's policies; or the versions that are stored in a registry.
import { defineCommand, type Io } from '../cli/command.ts'
import { refuseTableAsJson, TABLE_OPTION } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { table } from '../cli/render/table.ts'
import { homeLabel } from '../io/home.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT } from '../model/exit-code.ts'
import { listStored } from '../registry/render-stored.ts'
import { ROOT_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { listInstalled, type Row } from './installed.ts'

const HEAD = ['agent', 'variant', 'version', 'digest', 'status', 'trust', 'lock', 'source', 'manifest']
const LOCK = HEAD.indexOf('lock')
const DIGEST_DIGITS = 12

export const command = defineCommand({
  name: 'agent list',
  summary: 'installed bundles, with their verdict under today’s policies',
  positionals: [
    {
      name: 'stored',
      complete: 'none',
      lists: ['reference'],
      describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, to list the versions that are stored there',
    },
  ],
  options: {
    root: { ...ROOT_OPTION, describe: 'look there only, in place of ~/.runloop/agents and the system’s' },
    ...TRUST_OPTIONS,
    table: TABLE_OPTION,
  },
  examples: [
    ['rlp agent list', 'every root'],
    ['rlp agent list oci://registry.example/agents/mailer', 'the versions that a registry has'],
    ['rlp agent list --root /srv/agents --json', 'one root, with every issue, for a program'],
  ],
  notes:
    'status says whether a bundle is sound: ok, digest_mismatch, missing or invalid. trust is the verdict of today, with the exceptions that flags allowed when it was installed. stale: expired, or older than what was installed before. changed: not the file that rlp installed. interrupted: the next install finishes it. shadowed: an earlier root has the same agent. folder_changed, folder_missing, folder_not_compared: the unpacked folder beside the file, which other runtimes read, does not hold what the file holds, is gone, or could not be compared; --json says where in "folder". lock, where an agent has one, is the name of the lock by which rlp agent install --lock put it there.\n\nThe exit code is always 0; rlp agent verify NAME has one for each verdict.',
  async run(args, io) {
    refuseTableAsJson(args)
    if (args.stored !== undefined) return listStored(args.stored, args, io)
    const roots = await rootsFor(args.root, io.cwd)
    const result = await listInstalled(roots, { ...trustOf(args, io), signal: io.signal })
    const { agents: rows } = result
    report(io, args, {
      tool: 'agent.list',
      result,
      text: () => (rows.length === 0 ? '' : `${tableOf(rows, io).join('\n')}\n`),
    })
    const where = roots.map(({ label }) => label).join(', ')
    if (rows.length === 0) note(io, args, `no agent manifests found (searched: ${where})`)
    else {
      note(io, args, `searched: ${where}`)
      note(io, args, 'digest = blake3(manifest.toml)')
      for (const { agent, folder, marks } of rows) {
        if (folder === null || !marks.some(mark => mark.startsWith('folder_'))) continue
        note(io, args, `warning: ${agent}: the folder ${homeLabel(folder.path)} ${stateOf(folder)}`)
      }
      if (rows.some(({ status }) => status !== 'ok'))
        note(io, args, 'use --json to inspect bundle validation issues')
    }
    return EXIT.ok
  },
})

/** Without the column of locks where no lock has a name. */
function tableOf(rows: readonly Row[], { color, isTTY, columns }: Io): readonly string[] {
  const hasLocks = rows.some(({ lock }) => lock !== null)
  const shown = (cells: readonly string[]) => (hasLocks ? cells : cells.filter((_, at) => at !== LOCK))
  const lines = rows.map(row => shown(cellsOf(row)))
  return table(shown(HEAD), lines, createStyle(color), isTTY.stdout ? columns : undefined)
}

function stateOf(folder: NonNullable<Row['folder']>): string {
  if (folder.is === 'not_compared') return `was not compared with its bundle: ${folder.why}`
  if (folder.is === 'changed')
    return `is not what its bundle holds${folder.at === '' ? '' : `: ${folder.at} differs`}`
  return 'was unpacked, and is missing'
}

function cellsOf(row: Row): string[] {
  const { name, variant, version, digest, status, verdict, marks, allowed, lock, source_dir, manifest } = row
  const trust = [verdict, ...marks.filter(mark => mark !== verdict)].join(', ')
  return [
    name,
    variant ?? '-',
    version ?? '-',
    digest?.slice(0, DIGEST_DIGITS) ?? '-',
    status,
    allowed.length === 0 ? trust : `${trust} (allowed: ${allowed.join(', ')})`,
    lock ?? '-',
    homeLabel(source_dir),
    homeLabel(manifest),
  ]
}

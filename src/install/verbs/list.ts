// rlp agent list: installed bundles, with their verdict under today's policies; or the versions that are stored in a registry.
import type { Io } from '../../cli/command.ts'
import { refuseTableAsJson, TABLE_OPTION } from '../../cli/options.ts'
import { note, report } from '../../cli/render/report.ts'
import { createStyle } from '../../cli/render/style.ts'
import { table } from '../../cli/render/table.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { homeLabel } from '../../io/home.ts'
import type { Root } from '../../io/root/root-places.ts'
import { rootsFor } from '../../io/root/roots.ts'
import { typedStored } from '../../registry/inputs.ts'
import { type ListedVersions, versionsAt } from '../../registry/stored-versions.ts'
import { printable } from '../../text/printable.ts'
import { type At, commandOf, defineVerb, type Input } from '../../verb/index.ts'
import { home, path } from '../../verb/kinds/paths.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { JUDGING, judgingBy } from '../../verify/judging-inputs.ts'
import { type InstalledAgent, type InstalledAgents, judgeInstalled } from '../installed.ts'

const HEAD = ['agent', 'variant', 'version', 'digest', 'status', 'trust', 'lock', 'source', 'manifest']
const LOCK = HEAD.indexOf('lock')
const DIGEST_DIGITS = 12

/** A program asks `listVersions`. */
const stored: Input<never, Target | undefined> = {
  typed: {
    type: 'string',
    complete: 'none',
    lists: ['reference'],
    describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, to list the versions that are stored there',
  },
  fromTyped: (typed: string, at: At) =>
    typedStored(
      typed,
      at,
      `Cannot list "${typed}": it is no reference`,
      'Write oci://HOST/REPOSITORY or oci-layout:FOLDER. --root names another folder of installed agents',
    ),
}

/**
 * Installed bundles, each with its verdict under today's policies. A broken one never hides the others.
 *
 * @example
 * const { agents } = await listInstalled()
 * for (const { agent, version, verdict } of agents) console.log(agent, version, verdict)
 *
 * @throws {@link RlpError} `NO_PERMISSION` for a root that others lead the way to, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent list',
  summary: 'installed bundles, with their verdict under today’s policies',
  called: 'listInstalled',
  arguments: ['stored'],
  inputs: {
    stored,
    /** Look there only, in place of the folder `agents` of `home` and the system's. */
    root: path('look there only, in place of ~/.runloop/agents and the system’s', {
      placeholder: 'DIR',
    }),
    /** The user's policy, marks, overrides and installed agents; `$RUNLOOP_HOME` or `~/.runloop`. */
    home,
    trustPolicy: JUDGING.trustPolicy,
    allowDev: JUDGING.allowDev,
    attestations: JUDGING.attestations,
    now: JUDGING.now,
  },
  async run({ stored, root, ...trust }, world): Promise<Listing> {
    const { cwd } = world
    if (stored !== undefined) return { listed: await versionsAt(stored, reachBy(world)), roots: [] }
    const { home } = trust
    const roots = await rootsFor(root, cwd, home)
    const judging = { ...judgingBy({ ...trust, state: undefined }, world), root, onProgress: undefined }
    return { listed: await judgeInstalled(roots, judging, home), roots }
  },
  answer: ({ listed }): InstalledAgents => listed as InstalledAgents,
})

interface Listing {
  /** Versions only for a command line that names where they are stored. */
  readonly listed: InstalledAgents | ListedVersions
  readonly roots: readonly Root[]
}

export const command = commandOf(verb, {
  flags: { table: TABLE_OPTION },
  examples: [
    ['rlp agent list', 'every root'],
    ['rlp agent list oci://registry.example/agents/mailer', 'the versions that a registry has'],
    ['rlp agent list --root /srv/agents --json', 'one root, with every issue, for a program'],
  ],
  notes:
    'status says whether a bundle is sound: ok, digest_mismatch, missing or invalid. trust is the verdict of today, with the exceptions that flags allowed when it was installed. stale: expired, or older than what was installed before. changed: not the file that rlp installed. interrupted: the next install finishes it. shadowed: an earlier root has the same agent. folder_changed, folder_missing, folder_not_compared: the unpacked folder beside the file, which other runtimes read, does not hold what the file holds, is gone, or could not be compared; --json says where in "folder". lock, where an agent has one, is the name of the lock by which rlp agent install --lock put it there.\n\nThe exit code is always 0; rlp agent verify NAME has one for each verdict.',
  ready: refuseTableAsJson,
  print({ listed, roots }, { args, io }) {
    const isStored = 'versions' in listed
    report(io, args, {
      tool: 'agent.list',
      result: listed,
      text: () => (isStored ? renderVersions(listed) : renderRows(listed.agents, io)),
    })
    if (!isStored) for (const line of notesOn(listed.agents, roots)) note(io, args, line)
  },
})

function renderVersions({ versions, others }: ListedVersions): string {
  return [...versions.map(({ tag }) => tag), ...others].map(tag => `${printable(tag)}\n`).join('')
}

/** Without the column of locks where no lock has a name. */
function renderRows(rows: readonly InstalledAgent[], { color, isTTY, columns }: Io): string {
  if (rows.length === 0) return ''
  const hasLocks = rows.some(({ lock }) => lock !== null)
  const shown = (cells: readonly string[]) => (hasLocks ? cells : cells.filter((_, at) => at !== LOCK))
  const lines = rows.map(row => shown(cellsOf(row)))
  return `${table(shown(HEAD), lines, createStyle(color), isTTY.stdout ? columns : undefined).join('\n')}\n`
}

function notesOn(rows: readonly InstalledAgent[], roots: readonly Root[]): string[] {
  const where = roots.map(({ label }) => label).join(', ')
  if (rows.length === 0) return [`no agent manifests found (searched: ${where})`]
  return [
    `searched: ${where}`,
    'digest = blake3(manifest.toml)',
    ...rows.flatMap(({ agent, folder, marks }) =>
      folder === null || !marks.some(mark => mark.startsWith('folder_'))
        ? []
        : [`warning: ${agent}: the folder ${homeLabel(folder.path)} ${stateOf(folder)}`],
    ),
    ...(rows.some(({ status }) => status !== 'ok') ? ['use --json to inspect bundle validation issues'] : []),
  ]
}

function stateOf(folder: NonNullable<InstalledAgent['folder']>): string {
  if (folder.is === 'not_compared') return `was not compared with its bundle: ${folder.why}`
  if (folder.is === 'changed')
    return `is not what its bundle holds${folder.at === '' ? '' : `: ${folder.at} differs`}`
  return 'was unpacked, and is missing'
}

function cellsOf(row: InstalledAgent): string[] {
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

import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { own } from '../../../model/own.ts'
import type { Policy } from '../../../model/policy.ts'
import { CAPABILITY_FAMILIES, capabilityFamily, grantedOf } from '../../../policy/families/index.ts'
import { openedRoot } from '../../../policy/folder.ts'
import { quoteText } from '../../../text/quote.ts'
import { listLiteral } from '../../../toml/write.ts'
import { oddCommand } from '../../../tools/command-oddities.ts'
import { policyLists, toolsOf } from '../agent-parts.ts'
import { codeUse, type ToolUse, toolUse } from '../grants.ts'
import type { Rule } from '../rule.ts'

export const capsBroadGrant: Rule = {
  id: 'caps/broad-grant',
  severity: 'warning',
  scope: 'source',
  summary: 'a grant reaches further than an agent should',
  why: 'Every program, every domain, a whole home or the keys in it: a mistake in the agent, or a sentence that its model believes, then reaches all of that.',
  fix: 'Name the programs, domains and folders that the agent is about.',
  looks: 'agent',
  needs: { [POLICY_FILE]: 'sound', [TOOLS_FILE]: 'sound' },
  check({ agent }, report) {
    if (agent.policy === undefined) return
    for (const { pointer, message, fix } of [...switches(agent, agent.policy), ...folders(agent)])
      report({ file: POLICY_FILE, place: { pointer }, message, fix })
  },
}

interface Broad {
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

function switches(agent: Agent, policy: Policy): Broad[] {
  const use = toolUse(agent)
  const found: Broad[] = []
  for (const family of CAPABILITY_FAMILIES) {
    const { family: key, words } = family
    if (words.broad === undefined || grantedOf(policy, family) !== true) continue
    if (key === 'exec' && isUnused(agent, use?.exec, key)) continue
    found.push({
      pointer: ['capabilities', key],
      message: `${key} = true lets the agent ${words.broad.does}`,
      fix: (key === 'exec' ? execFix(use) : undefined) ?? words.broad.fix,
    })
  }
  const { hosts, allowHttp } = policy.net
  // That nothing can use it is reported by another rule.
  const isReported =
    codeUse(agent, 'net') === 'cannot' ||
    (codeUse(agent, 'net') === 'placeholder' && toolsOf(agent).length > 0)
  if (
    !allowHttp ||
    hosts.length === 0 ||
    use === undefined ||
    use.http ||
    isReported ||
    isUnused(agent, use?.net, 'net')
  )
    return found
  found.push({
    pointer: ['capabilities', 'net', 'allow_http'],
    message: 'allow_http = true lets the agent talk to every granted host without encryption',
    fix: 'Remove allow_http; no tool has a plain http url',
  })
  return found
}

/** An unused grant is reported by another rule. */
function isUnused(agent: Agent, needed: ReadonlySet<string> | undefined, family: 'net' | 'exec'): boolean {
  return needed?.size === 0 && ['cannot', 'placeholder'].includes(codeUse(agent, family))
}

/** Undefined if the programs that the tools start cannot be granted instead. */
function execFix(use: ToolUse | undefined): string | undefined {
  const commands = [...(use?.exec ?? [])].filter(command => command !== '*')
  const isAll = use?.exec !== undefined && commands.length === use.exec.size
  // An odd command cannot be granted as it is: tools/command-line.
  const isWritable = commands.every(command => oddCommand(command) === undefined)
  if (!isAll || !isWritable || commands.length === 0 || commands.length > 20) return undefined
  return `Write exec = ${listLiteral(commands)}, which is all that the tools start`
}

/** Roots, as `rootOf` gives them, that hold more than one agent's files. */
const READABLE: Readonly<Record<string, string>> = {
  '': 'the whole file system',
  '~': 'the whole home',
  '/home': 'the homes of all users',
  '/root': 'the home of root',
  '/Users': 'the homes of all users',
  '/etc': 'the configuration of the whole host',
  '/etc/passwd': 'the list of all users',
  '/etc/shadow': 'the passwords of all users',
  '/run': 'the doors to the services of the host',
  '/var/run': 'the doors to the services of the host',
  '~/.ssh': 'the keys for other hosts',
  '~/.gnupg': 'the keys for signatures and mail',
  '~/.aws': 'the credentials of a cloud account',
  '~/.kube': 'the credentials of clusters',
}
const WRITABLE: Readonly<Record<string, string>> = {
  ...READABLE,
  '~/.runloop': 'the trust policy and the overrides that hold this very agent',
  '/usr': 'the programs of the host',
  '/var': 'the state of the whole host',
}

/** What a folder is, and all below it. */
const WHOLE: readonly (readonly [RegExp, string])[] = [
  [/^\/(?:home|Users)\/[^/*]+$/, 'the whole home of a user'],
  [/^\/proc(?:\/|$)/, 'what every program of the host is doing, with its variables'],
  [/^\/sys(?:\/|$)/, 'the settings of the kernel'],
  [/^\/dev(?:\/(?!(?:null|zero|full|u?random)$)|$)/, 'the devices of the host'],
]

function below(root: string): string | undefined {
  return WHOLE.find(([pattern]) => pattern.test(root))?.[1]
}

function folders(agent: Agent): Broad[] {
  const found: Broad[] = []
  for (const { key, entries, at } of policyLists(agent)) {
    const { scope, opens } = capabilityFamily(key)
    if (scope !== 'folder') continue
    const named = opens === 'write' ? WRITABLE : READABLE
    for (const [index, entry] of entries) {
      const root = openedRoot(entry)
      const what = root === undefined ? undefined : (own(named, root) ?? below(root))
      if (what === undefined) continue
      const message = `${key} ${quoteText(entry)} is ${what}`
      found.push({ pointer: [...at, index], message, fix: 'Name the folder that the agent is about' })
    }
  }
  return found
}

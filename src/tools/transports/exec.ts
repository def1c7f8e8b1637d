// transport.kind "exec": a program on the host. Where it is started: src/call/exec/.

import { flag, list, text } from '../../json/read.ts'
import { own } from '../../model/own.ts'
import type { Change } from '../../model/permissions.ts'
import { problemIn } from '../../model/reading.ts'
import type { ExecAct } from '../../model/transports/exec.ts'
import { implied } from '../../policy/need.ts'
import { isProgramPath } from '../../policy/program-path.ts'
import { credentialArgument, credentialIn } from '../../secret/credential.ts'
import { readWords, writeWords } from '../../text/shell-words.ts'
import { meantCall, oddCommand } from '../command-oddities.ts'
import { keptAs, LEFT_TO_THE_HOST, lostBecause } from '../fields/field.ts'
import { programOf, runsCode } from '../program.ts'
import type { TransportKind, WrittenCredential } from './kind.ts'

const texts = list(text)
/** Programs whose work is to delete. */
const DELETING = ['rm', 'rmdir', 'unlink', 'shred']

export const exec: TransportKind<'exec'> = {
  kind: 'exec',
  summary: 'a program on the host',
  read: json => ({
    kind: 'exec',
    command: own(json, 'command') as string,
    args: (own(json, 'args') as string[] | undefined) ?? [],
  }),
  write: ({ command, args }) => ({ kind: 'exec', command, ...(args.length > 0 && { args }) }),
  templates: ({ args }) =>
    args.map((text, index) => ({ where: 'argument', text, at: ['transport', 'args', index] })),
  everyText({ args }, holds) {
    for (const text of args) if (!holds(text)) return false
    return true
  },
  sendsAll: () => true,
  secrets: { in: 'environment' },
  writtenCredentials({ args }) {
    const written: WrittenCredential[] = []
    const flagged = credentialArgument(args)
    for (let index = 0; index < args.length; index++) {
      const what = credentialIn(args[index] ?? '') ?? (index === flagged ? 'a credential' : undefined)
      if (what !== undefined) written.push({ at: ['args', index], what: `The argument holds ${what}` })
    }
    return written
  },
  credentialFix: 'Revoke it, and list a secret in secrets: the program gets it in its environment',

  need: {
    family: 'exec',
    key: 'command',
    of: ({ command }) => implied(`exec:${command}`, ['transport', 'command']),
    words: ({ command }) => (isProgramPath(command) ? [`exec:${command}`] : []),
    reach: () => undefined,
  },

  shown: {
    target: ({ command, args }) => [command, ...args.map(arg => JSON.stringify(arg))].join(' '),
    line: ({ command, args }) => writeWords([command, ...args]),
    changing: () => 'starts a program',
    sureness: () => 'unknown',
    deleting(transport) {
      const { name } = programOf(meantCall(transport).transport)
      return DELETING.includes(name) ? `runs ${name}` : undefined
    },
    isReading: () => false,
  },

  act: {
    of: ({ transport: { command, args }, rlp: { stdin, env } }) => ({
      kind: 'exec',
      command,
      args,
      stdin,
      env,
    }),
    members: ['command', 'args', 'stdin', 'env'],
    read: (table, at) => ({
      kind: 'exec',
      command: text(table['command'], `${at}.command`),
      args: texts(table['args'], `${at}.args`),
      stdin: flag(table['stdin'], `${at}.stdin`),
      env: texts(table['env'], `${at}.env`),
    }),
    receiver: ({ command }) => command,
    uses: act => ({ what: runsCode(act) ? 'code' : 'program', name: act.command, how: commandLine(act) }),
    env: ({ env }) => env,
    // What a program is given decides what it does as much as its name.
    widened(before, tool) {
      const changes: Change[] = []
      const { id, command } = tool
      const about = { tool: id }
      if (before.command !== command)
        changes.push({
          ...about,
          kind: 'command',
          message: `runs ${command} as ${id}, not ${before.command}`,
        })
      if (JSON.stringify(before.args) !== JSON.stringify(tool.args))
        changes.push({
          ...about,
          kind: 'args',
          message: `runs ${commandLine(tool)} as ${id}, with other arguments`,
        })
      if (before.stdin !== tool.stdin) {
        const way = tool.stdin ? 'on standard input' : 'in a file'
        changes.push({ ...about, kind: 'stdin', message: `gives ${id} its arguments ${way}` })
      }
      return changes
    },
    // No program or argument is known to do less than another.
    narrowed: () => [],
    does: act => `may run ${commandLine(act)}`,
  },

  record: {
    // The file whose path comes first is this side's own way; other systems share standard input.
    fields: ({ rlp }) => (rlp.stdin ? ['command'] : ['command', 'arguments']),
    fates: {
      command: {
        ...LEFT_TO_THE_HOST,
        'agent-tool': 'external_mappings, source cli; execution_kind local_process',
        agentcli: keptAs('command; a tool with {{input.…}} in its arguments is left out', 'lost'),
      },
      arguments: {
        ...LEFT_TO_THE_HOST,
        'agent-tool': 'external_mappings, arguments stdin or file',
        agentcli: lostBecause(
          'it was given the path of a file as its first argument, and agentcli writes JSON to its standard input',
        ),
      },
    },
    program: ({ command, args }) => ({ command, args }),
    tool: 'native_tool',
    execution: 'local_process',
    access: 'code_execution',
    reaches: [],
    mapping: ({ transport: { command, args }, rlp }, ref) => ({
      source: 'cli',
      argv_ref: ref,
      argv: [command, ...args],
      arguments: rlp.stdin ? 'stdin' : 'file',
      env: rlp.env,
    }),
  },

  asked: {
    questions: [
      {
        name: 'command',
        at: ['command'],
        message: 'Program (absolute path)',
        example: '/usr/bin/jq',
        check: commandProblem,
      },
      {
        name: 'stdin',
        message: 'How does the program get its input?',
        fallback: 'file',
        choices: told =>
          INPUT_WAYS.map(({ value, label, hint }) => ({
            value,
            label,
            hint: `${hint}: ${startLine(value, [told('command'), '…'])}`,
          })),
      },
      {
        name: 'arg',
        at: ['args'],
        message: 'Arguments (as in a shell; {{input.<field>}} is filled in; blank for none)',
        takesDash: true,
        check: line => problemIn(readWords(line)),
        advise(line, told) {
          const args = readWords(line)
          if ('problem' in args) return undefined
          return `a call starts ${startLine(told('stdin'), [told('command'), ...args.value])}`
        },
      },
    ],
    flags: ['command', 'arg', 'stdin', 'env'],
    stated: ({ command, args }) => ({ command, arg: writeWords(args) }),
    answered: answer => {
      const args = readWords(answer('arg'))
      // The question has read the same answer with the same reader.
      if ('problem' in args) throw new TypeError(`an answer that its question accepted: ${args.problem}`)
      return { kind: 'exec', command: answer('command'), args: args.value }
    },
  },
}

/** The last one is the second too: what a program that reads no standard input gets there does no harm. */
const INPUT_WAYS = [
  { value: 'file', label: 'file', hint: 'a file of JSON is its first argument' },
  { value: 'stdin', label: 'standard input', hint: 'JSON on standard input' },
  { value: 'arguments', label: 'arguments', hint: '{{input.<field>}} in its arguments' },
] as const

/** Whether an answer means `x-rlp.stdin`. */
export function readsStdin(way: string): boolean {
  return way === 'stdin' || way === 'arguments'
}

/** As argv is in a call. */
function startLine(way: string, [command = '', ...args]: readonly string[]): string {
  const words = args.map(arg => (arg === '…' ? arg : writeWords([arg])))
  const input = way === 'file' ? ['INPUT.json'] : []
  return [writeWords([command]), ...input, ...words, ...(way === 'stdin' ? ['< INPUT.json'] : [])].join(' ')
}

/** Why a text cannot be the program of a tool. */
export function commandProblem(command: string): string | undefined {
  if (!command.startsWith('/')) return 'write the absolute path of a program, for example /usr/bin/jq'
  if (/[{}]/.test(command)) return 'the program is fixed; templates are allowed in arguments only'
  if (/[\x00-\x1f\x7f]/.test(command)) return 'it has a control character'
  const odd = oddCommand(command)
  if (odd?.is === 'line') {
    const [program, ...args] = odd.words
    return `write the program alone, ${program}; its arguments come separately: ${writeWords(args)}`
  }
  if (odd?.is === 'shell') return `no shell reads it: ${odd.found} is not replaced by anything`
  if (odd !== undefined) return `no program has a fixed place below ${odd.folder}`
  const isPlain = command.split('/').every((segment, at) => at === 0 || !['', '.', '..'].includes(segment))
  return isPlain ? undefined : 'write it without empty, . and .. segments'
}

function commandLine({ command, args }: ExecAct): string {
  const shown = args.map(arg => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg)))
  return [command, ...shown].join(' ')
}

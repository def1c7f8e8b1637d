import { readHostPort } from '../../format/host.ts'
import { POLICY_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Policy } from '../../model/policy.ts'
import type { Rule } from '../rule.ts'

export const capsEntry: Rule = {
  id: 'caps/entry',
  severity: 'error',
  scope: 'bundle',
  summary: 'a grant names nothing that can be granted',
  why: 'A host with a wildcard, a relative folder or an empty name is read by some runtimes as nothing and by others as more than was meant.',
  fix: 'Write host or host:port, an absolute folder or one that begins with ~/, and non-empty names.',
  *check(agent) {
    const { policy } = agent
    const document = agent.documents.get(POLICY_FILE)
    if (policy === undefined || document === undefined) return
    const hostsAt = hostsPointer(document.value)
    for (const { list, at, problemOf } of entryLists(policy, hostsAt)) {
      for (const [index, entry] of list.entries()) {
        const problem = problemOf(entry)
        if (problem === undefined) continue
        yield { file: POLICY_FILE, place: { pointer: [...at, index] }, ...problem }
      }
    }
  },
}

type EntryProblem = { message: string; fix: string } | undefined

function entryLists(policy: Policy, hostsAt: Pointer) {
  const named = (
    key: string,
    list: true | readonly string[],
    problemOf: (entry: string) => EntryProblem,
  ) => ({
    list: list === true ? [] : list,
    at: ['capabilities', key] as Pointer,
    problemOf,
  })
  return [
    named('fs', policy.fs, folderProblem),
    named('fs_ro', policy.fsRo, folderProblem),
    named('fs_rw', policy.fsRw, folderProblem),
    { list: policy.net.hosts, at: hostsAt, problemOf: hostProblem },
    named('kb_read', policy.kbRead, nameProblem),
    named('kb_write', policy.kbWrite, nameProblem),
    named('secrets', policy.secrets, nameProblem),
    named('exec', policy.exec, commandProblem),
  ]
}

function hostsPointer(value: unknown): Pointer {
  const net = (value as { capabilities: { net?: unknown } }).capabilities.net
  return Array.isArray(net) ? ['capabilities', 'net'] : ['capabilities', 'net', 'hosts']
}

function hostProblem(entry: string): EntryProblem {
  const host = readHostPort(entry)
  if (!('problem' in host)) return undefined
  return { message: `${quote(entry)} grants no host: ${host.problem}`, fix: 'Write host or host:port' }
}

function folderProblem(entry: string): EntryProblem {
  const isPlain = !entry.split('/').some(segment => segment === '..' || segment === '.')
  if ((entry.startsWith('/') || entry.startsWith('~/')) && isPlain) return undefined
  return {
    message: `${quote(entry)} is not an absolute folder`,
    fix: 'Write an absolute path, or one that begins with ~/, without . and .. segments',
  }
}

function nameProblem(entry: string): EntryProblem {
  if (entry.trim() === '') return { message: 'The entry is empty', fix: 'Remove it or name what is granted' }
  if (entry.includes('*')) return { message: `${quote(entry)} has a wildcard`, fix: 'Name each one' }
  return undefined
}

function commandProblem(entry: string): EntryProblem {
  if (/^(?:\/[^/\0]+)+$/.test(entry) && !/\/\.\.?(?:\/|$)/.test(entry)) return undefined
  return {
    message: `${quote(entry)} is not the absolute path of a program`,
    fix: 'Write for example /usr/bin/jq',
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)
}

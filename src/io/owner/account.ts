// An account of this host by its name.
import { readFileSync } from 'node:fs'
import { ioNow } from '../fail.ts'
import type { RunsAs } from './mounted-way.ts'

/** As /etc/passwd has it; undefined if it has none of this name. @throws RlpError */
export function accountNamed(name: string): RunsAs | undefined {
  const text = ioNow('look up an account', () => readFileSync('/etc/passwd', 'utf8'))
  const line = text
    .split('\n')
    .map(one => one.split(':'))
    .find(([one]) => one === name)
  const [uid, gid] = [Number(line?.[2]), Number(line?.[3])]
  return Number.isSafeInteger(uid) && Number.isSafeInteger(gid) ? { uid, gid } : undefined
}

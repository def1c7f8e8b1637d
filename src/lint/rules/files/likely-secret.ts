import { TOOLS_FILE } from '../../../model/agent.ts'
import { secretByName } from '../../../secret/packed-secret.ts'
import type { Rule } from '../rule.ts'

export const filesLikelySecret: Rule = {
  id: 'files/likely-secret',
  severity: 'warning',
  scope: 'source',
  summary: 'a file that may hold a credential, judging by its name or its text',
  why: 'Key stores, databases, settings and notes get copied into a folder for a test and stay there. Everyone who gets the bundle gets them too, and a signed bundle cannot be cleaned up later.',
  fix: 'Leave the file out with .bundleignore. If nothing in it is secret, suppress the finding for this file and say why.',
  looks: 'agent',
  needs: {},
  check({ agent, prepared }, report) {
    const proved = new Set(prepared.secrets.flatMap(({ file, isLikely }) => (isLikely ? [] : file)))
    const told = new Set<string>()
    for (const { file, kind, line, isLikely } of prepared.secrets) {
      if (!isLikely) continue
      told.add(file)
      // The credential itself is never part of a message.
      report({ file, message: `Line ${line} holds ${kind}`, fix: FIX })
    }
    for (const { path } of agent.files.list) {
      const what = proved.has(path) || told.has(path) || path === TOOLS_FILE ? undefined : secretByName(path)
      if (what !== undefined)
        report({ file: path, message: `By its name, this file may hold ${what}`, fix: FIX })
    }
  },
}

const FIX =
  'Leave the file out with .bundleignore. If nothing in it is secret, suppress the finding for this file'

import { secretByName } from '../../../format/secret/likely-secret.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const filesLikelySecret: Rule = {
  id: 'files/likely-secret',
  severity: 'warning',
  scope: 'source',
  summary: 'a file that may hold a credential, by its name or by the words in it',
  why: 'Key stores, databases, settings and notes are copied into a folder for a test and forgotten there. Everybody who gets the bundle gets them, and a signed bundle cannot be cleaned afterwards.',
  fix: 'Leave the file out with .bundleignore. If nothing in it is secret, suppress the finding for this file, with the reason.',
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

const FIX = 'Leave the file out with .bundleignore; if nothing in it is secret, suppress this for the file'

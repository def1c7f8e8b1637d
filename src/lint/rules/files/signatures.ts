import { SIGNATURE_FOLDER } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const filesSignatures: Rule = {
  id: 'files/signatures',
  severity: 'error',
  scope: 'source',
  summary: 'a source folder holds SIGNATURES/',
  why: 'Signatures are added to a packed bundle. A folder that has them is an unpacked bundle, which verify reads unchanged.',
  fix: 'Verify the folder instead, or remove SIGNATURES/ before you pack it again.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    if (agent.form === 'bundle') return
    const found = agent.files.list.find(
      ({ path }) => path === SIGNATURE_FOLDER || path.startsWith(`${SIGNATURE_FOLDER}/`),
    )
    if (found === undefined) return
    report({
      file: found.path,
      message: `This ${agent.form === 'archive' ? 'archive holds a signed bundle' : 'folder is an unpacked bundle'}, not an agent’s source`,
      fix: 'Run rlp agent verify on it, or remove SIGNATURES/ before you pack it again',
    })
  },
}

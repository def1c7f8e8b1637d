import type { Rule } from '../rule.ts'

export const filesSecret: Rule = {
  id: 'files/secret',
  severity: 'error',
  scope: 'source',
  summary: 'a private key, a token or a file of variables with a secret would be packed',
  why: 'Everybody who gets the bundle gets the credential. A signed bundle cannot be cleaned afterwards, and the files of a bundle are copied further than anybody follows.',
  fix: 'Revoke it, take it out of the folder or leave it out with .bundleignore, and name a secret of the store instead. A key that is there for tests is marked by `x-test-key` on its line or the line before.',
  looks: 'agent',
  needs: {},
  check({ prepared }, report) {
    for (const { file, kind, line, isLikely } of prepared.secrets) {
      // A warning of another rule.
      if (isLikely) continue
      // The credential itself is never part of a message.
      report({
        file,
        message: `Line ${line} holds ${kind}`,
        fix: 'Revoke it, and take it out, or leave the file out with .bundleignore. If it is there for tests, write x-test-key on the line before',
      })
    }
  },
}

import type { BundleRule } from '../rule.ts'

export const filesLink: BundleRule = {
  id: 'files/link',
  severity: 'error',
  scope: 'bundle',
  step: 'archive',
  summary: 'a link, or something else that is not a regular file',
  why: 'What a link points to can change after it was reviewed, and can lie outside the folder. Bundles hold regular files only.',
  fix: 'Put the file itself there, or leave the link out with .bundleignore.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    for (const { path, what, detail } of agent.files.oddities) {
      if (what !== 'link' && what !== 'special') continue
      report({
        file: path,
        message:
          what === 'link'
            ? `This is a symbolic link${detail === undefined ? '' : ` to ${detail}`}`
            : 'This is not a regular file',
        fix: 'Put a regular file there, or leave it out with .bundleignore',
      })
    }
  },
}

// The registry of formats of `rlp lock check`. Those for other programs have a file each.
import { envelopeLine } from '../../report/json.ts'
import { renderChecked } from '../render-lock.ts'
import type { LockFormat } from './format.ts'
import { lockGithub } from './github.ts'
import { lockMarkdown } from './markdown.ts'
import { lockSarif } from './sarif.ts'

export const LOCK_FORMATS: readonly LockFormat[] = [
  {
    name: 'text',
    render: ({ checked: { agents } }, { style, quiet }) =>
      agents
        .filter(({ is }) => !quiet || is !== 'same')
        .map(row => renderChecked(row, style))
        .join(''),
  },
  { name: 'json', render: ({ checked }) => envelopeLine('lock.check', checked) },
  lockSarif,
  lockGithub,
  lockMarkdown,
]

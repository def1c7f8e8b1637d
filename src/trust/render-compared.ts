// What two trust policies differ in → lines for people.
import { createStyle, type Style } from '../cli/render/style.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { printable } from '../text/printable.ts'
import type { PolicyDifference } from './compare/compare-by-agent.ts'
import type { ComparedPolicies } from './compare/compare-policies.ts'

/** Printable lines; none if the two decide alike. What is wider comes first. */
export function comparedLines(
  { widened, narrowed }: ComparedPolicies,
  style: Style = createStyle(false),
): string[] {
  return [
    ...part('trusted that was not:', style.yellow('+'), widened),
    ...part('no longer trusted:', style.green('-'), narrowed),
  ]
}

function part(title: string, mark: string, differences: readonly PolicyDifference[]): string[] {
  if (differences.length === 0) return []
  return [
    title,
    ...differences.map(one => `  ${mark} ${printable(`${whose(one)}${withReadableHosts(one.says)}`)}`),
  ]
}

function whose({ agents, but }: PolicyDifference): string {
  if (agents !== null) return `${agents.join(', ')}: `
  return but.length === 0 ? '' : `every agent but ${but.join(', ')}: `
}

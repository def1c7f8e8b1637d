// Why a reference has no target, in one wording for lint and the compiler.

/** Why a reference has no target: the end of a sentence about it, and the edit. */
export interface ReferenceRefusal {
  readonly why: string
  readonly fix: string
}

export const REMOTE: ReferenceRefusal = {
  why: 'leads out of the bundle',
  fix: 'Pack the schema into schemas/ and refer to its path',
}
export const TWICE: ReferenceRefusal = {
  why: 'names an anchor that is defined twice, so readers would differ',
  fix: 'Give each place a name of its own, or refer to it as #/$defs/<name>',
}
export const OWN_ID: ReferenceRefusal = {
  why: 'is the $id of a schema in the same document, and an $id is no place in a bundle',
  fix: 'Refer to the place, for example #/$defs/<name>',
}
export const NO_TARGET: ReferenceRefusal = {
  why: 'has no target',
  fix: 'Correct the reference, or add what it names',
}
export const NO_FILE: ReferenceRefusal = {
  why: 'names a file that is not there',
  fix: 'Add the file, or correct the path',
}

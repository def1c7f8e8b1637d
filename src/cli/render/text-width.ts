// How many columns a text takes that is not plain, in a file of its own: the library makes the engine build tables of Unicode, so the
// program loads it when there is such a text (scripts/later.ts).
export { default as stringWidth } from 'fast-string-width'

// Mesh emits the import of a .ts source as .js, which is not there; of an .mjs it keeps the name.
export { schema } from '../src/api/graphql/schema.ts';

/**
 * The storage of the GraphQL editor. Headers contain keys, and the history contains headers, so both are kept in memory and lost on a
 * reload. The texts of the editor's tabs are kept as long as the browser's tab. Only the layout of the editor is stored permanently.
 */
const layout = new Set(['docExplorerFlex', 'editorFlex', 'secondaryEditorFlex'].map((name) => `graphiql:${name}`));
const texts = new Set(['query', 'variables', 'operationName', 'tabState'].map((name) => `graphiql:${name}`));

type EditorStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear' | 'length'>;

export function openEditorStorage(): EditorStorage {
  const memory = new Map<string, string>();
  const remembered: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = {
    getItem: (key) => memory.get(key) ?? null,
    setItem: (key, value) => void memory.set(key, value),
    removeItem: (key) => void memory.delete(key),
  };
  const placeOf = (key: string) => (layout.has(key) ? localStorage : texts.has(key) ? sessionStorage : remembered);
  return {
    getItem: (key) => placeOf(key).getItem(key),
    setItem: (key, value) => placeOf(key).setItem(key, value),
    removeItem: (key) => placeOf(key).removeItem(key),
    clear() {
      memory.clear();
      for (const key of [...layout, ...texts]) placeOf(key).removeItem(key);
    },
    get length() {
      return memory.size;
    },
  };
}

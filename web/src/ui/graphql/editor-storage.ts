/**
 * What the GraphQL editor keeps. Headers hold keys, and its history holds headers: both stay in memory, and a reload
 * forgets them. The texts of its tabs last as long as the browser's tab; only the layout of the editor is stored permanently.
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

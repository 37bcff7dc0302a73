/** GraphiQL, bundled with the page. It loads nothing from other servers and stores no key. */
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { useMemo } from 'react';
import type { Credential } from '../../api/ask.ts';
import { useTheme } from '../use-theme.ts';
import { openEditorStorage } from './editor-storage.ts';
import { openFetcher } from './open-fetcher.ts';

type GraphqlEditorProps = {
  /** Sent with every request; headers in the editor take precedence. Must be the same object as long as the credential is the same. */
  credential?: Credential;
  defaultQuery: string;
  /** Headers as JSON. If they are set, the editor opens the headers, and otherwise the variables. */
  defaultHeaders?: string;
};

export function GraphqlEditor({ credential, defaultQuery, defaultHeaders }: GraphqlEditorProps) {
  const fetcher = useMemo(() => openFetcher(credential), [credential]);
  const storage = useMemo(openEditorStorage, []);
  const [theme] = useTheme();
  return (
    <GraphiQL
      fetcher={fetcher}
      storage={storage}
      shouldPersistHeaders={false}
      forcedTheme={theme}
      defaultQuery={defaultQuery}
      {...(defaultHeaders === undefined ? {} : { defaultHeaders, defaultEditorToolsVisibility: 'headers' as const })}
    />
  );
}

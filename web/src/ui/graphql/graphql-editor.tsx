/** GraphiQL, bundled with the page: it loads nothing from elsewhere, and keeps no key. */
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { useMemo } from 'react';
import type { Credential } from '../../api/ask.ts';
import { useTheme } from '../use-theme.ts';
import { openEditorStorage } from './editor-storage.ts';
import { openFetcher } from './open-fetcher.ts';

type GraphqlEditorProps = {
  /** Sent with every question; headers in the editor take precedence. The same object while it is the same credential. */
  credential?: Credential;
  defaultQuery: string;
  /** As JSON; the headers are open then, and the variables otherwise. */
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

import { useEffect } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { GraphqlEditor } from '../ui/graphql/graphql-editor.tsx';
import styles from './app.module.css';
import { exampleHeaders, exampleQuery } from './example.ts';

export function App() {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t('graphiql.title');
  }, [t]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{t('graphiql.title')}</h1>
        <p className={styles.about}>
          <Trans i18nKey="graphiql.about" components={{ code: <code /> }} />
        </p>
        <nav className={styles.links}>
          <a href="/dashboard/developers">{t('graphiql.dashboard')}</a>
          <a href="/docs/api">{t('graphiql.rest')}</a>
        </nav>
      </header>
      <main className={styles.editor}>
        <GraphqlEditor defaultQuery={exampleQuery} defaultHeaders={exampleHeaders} />
      </main>
    </div>
  );
}

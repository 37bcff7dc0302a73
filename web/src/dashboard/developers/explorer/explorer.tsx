/** A GraphQL editor with the schema. Requests are sent with the permissions of the member who is logged in. */
import { useTranslation } from 'react-i18next';
import { GraphqlEditor } from '../../../ui/graphql/graphql-editor.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';

export function Explorer() {
  const { t } = useTranslation();
  const { credential, app } = useDashboard();
  return (
    <Panel title={t('developers.graphql.title')} about={t('developers.graphql.about')}>
      <div className={styles.explorer}>
        <GraphqlEditor
          credential={credential}
          defaultQuery={`# ${t('developers.graphql.hint')}\n{\n  paymentIntents(first: 5, filter: { appId: "${app.id}" }) {\n    nodes { id status amount currency createdAt }\n  }\n}\n`}
        />
      </div>
    </Panel>
  );
}

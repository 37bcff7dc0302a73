/** The API call that does the same as a page of the dashboard, ready to copy. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settings } from '../../../settings.ts';
import { CopyButton } from '../../../ui/button/copy-button.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';
import { curlOf, type SampleName, sampleNames } from './sample-calls.ts';

export function SamplesPanel() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [name, setName] = useState<SampleName>('payment');
  const call = curlOf(name, { appId: app.id, origin: settings.publicUrl });
  return (
    <Panel title={t('developers.samples.title')} about={t('developers.samples.about')}>
      <Select
        label={t('developers.samples.choice')}
        value={name}
        onChange={setName}
        options={sampleNames.map((value) => ({ value, words: t(`developers.samples.${value}`) }))}
      />
      <div className={styles.sample}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
        <pre tabIndex={0}>{call}</pre>
        <CopyButton text={call} name={t('everywhere.call')} />
      </div>
    </Panel>
  );
}

/** Moves the installation's time ahead if all of its chains are local, for example to test a month of billing at once. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeveloperAdvanceClockDocument, DeveloperClockDocument } from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Note } from '../../../ui/state/note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useAsk } from '../../session/use-ask.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';

const steps = ['60', '3600', '86400', '604800', '2678400'] as const;
const LOOK_MS = 2_000;

export function ClockPanel() {
  const { t } = useTranslation();
  const [step, setStep] = useState<(typeof steps)[number]>('3600');
  const { data, error, isPending, refetch } = useAsk(DeveloperClockDocument, {}, { everyMs: LOOK_MS });
  const advance = useApiMutation(DeveloperAdvanceClockDocument);
  const clock = data?.testClock;
  const move = () => advance.mutateAsync({ input: { seconds: Number(step), waitSeconds: 20 } }).catch(() => {});
  return (
    <Panel title={t('developers.clock.title')} about={t('developers.clock.about')}>
      <ErrorNote error={error} retry={refetch} />
      {isPending && <Skeleton lines={3} />}
      {clock && (
        <div className={styles.form}>
          <p className={styles.figure}>
            <Time at={clock.now} isAbsolute />
          </p>
          <p>
            {clock.offsetSeconds === 0
              ? t('developers.clock.real')
              : t('developers.clock.ahead', { count: clock.offsetSeconds })}
          </p>
          {clock.isAdvancing && clock.targetAt && (
            <Note tone="wait" title={t('developers.clock.moving')}>
              <Time at={clock.targetAt} isAbsolute /> · {t('developers.clock.stops', { count: clock.stops })}
            </Note>
          )}
          {clock.fault && (
            <Note tone="bad" title={t('developers.clock.stuck')}>
              {clock.fault}
            </Note>
          )}
          {!clock.isMovable && <Note>{t('developers.clock.fixed')}</Note>}
          {clock.isMovable && clock.mayAdvance && (
            <div className={styles.filters}>
              <Select
                label={t('developers.clock.by')}
                value={step}
                onChange={setStep}
                options={steps.map((value) => ({ value, words: t(`developers.clock.steps.${value}`) }))}
              />
              <Button look="primary" onPress={move} busyWords={t('developers.clock.moving')}>
                {t('developers.clock.move')}
              </Button>
            </div>
          )}
          <ErrorNote error={advance.error} />
        </div>
      )}
    </Panel>
  );
}

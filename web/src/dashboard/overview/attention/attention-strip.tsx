/** What requires the merchant's attention, most urgent first. Empty if nothing does. Each entry links to the list of what it counts. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { OverviewAttentionDocument, OverviewSendersDocument } from '../../../../../generated/web/documents.ts';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import styles from './attention.module.css';
import { attentionWay } from './attention-way.ts';

/** Deadlines and payouts change without a payment event that would refresh the page. */
const LOOK_MS = 60_000;

export function AttentionStrip() {
  const { t } = useTranslation();
  const formats = useFormats();
  const { app } = useDashboard();
  const { data } = useAsk(OverviewAttentionDocument, { appId: app.id }, { everyMs: LOOK_MS });
  const lowSenders = useLowSenders();
  const problems = data?.attention ?? [];
  if (problems.length === 0 && lowSenders === 0) return null;
  return (
    <section className={styles.strip} aria-labelledby="attention">
      <h2 id="attention">{t('overview.attention.title')}</h2>
      <ul>
        {problems.map((problem) => {
          const { kind, count, hasMore, dueAt } = problem;
          const figure = hasMore
            ? t('overview.attention.more', { figure: formats.count(count) })
            : formats.count(count);
          return (
            <li key={kind} data-problem={kind}>
              <Link href={attentionWay(problem)}>
                <Icon name="alert" />
                <span>
                  {t(`overview.attention.${kind}`, { count, figure })}
                  {dueAt && (
                    <span className={styles.due}>
                      {t('overview.attention.due')} <Time at={dueAt} />
                    </span>
                  )}
                </span>
              </Link>
            </li>
          );
        })}
        {lowSenders > 0 && (
          <li data-problem="LOW_GAS">
            <Link href="/operations">
              <Icon name="alert" />
              <span>{t('overview.attention.LOW_GAS', { count: lowSenders, figure: formats.count(lowSenders) })}</span>
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

/** The number of sending keys that are low on gas. Only members appointed by the operator may see the keys. */
function useLowSenders(): number {
  const { member } = useDashboard();
  const { data } = useAsk(OverviewSendersDocument, {}, { isEnabled: member.isOperator, everyMs: LOOK_MS });
  return data?.installation.senders.filter(({ isLow }) => isLow).length ?? 0;
}

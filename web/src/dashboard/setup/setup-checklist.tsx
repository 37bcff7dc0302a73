/** The setup checklist on the overview: the completed steps and the next one, with links. It can be hidden once payments work. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SetupFactsQuery } from '../../../../generated/web/documents.ts';
import { settings } from '../../settings.ts';
import { Button, buttonClass } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Step, Steps } from '../../ui/state/steps.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './setup.module.css';
import { networksOf, type SetupStep, type SetupStepKey, takesPayments } from './setup-steps.ts';
import { useSetup } from './use-setup.ts';

export function SetupChecklist() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const place = `sluice.setup.${app.id}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(place) === 'hidden');
  const setup = useSetup({ isEnabled: !isHidden });
  if (isHidden || !setup) return null;
  const { steps, facts } = setup;
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone)?.key;
  const hide = () => {
    localStorage.setItem(place, 'hidden');
    setHidden(true);
  };
  const shown = steps.map(
    ({ key, isDone }: SetupStep): Step => ({
      key,
      state: isDone ? 'done' : key === next ? 'current' : 'upcoming',
      title: <span data-setup={key}>{t(`setup.steps.${key}.${app.mode === 'LIVE' ? 'live' : 'title'}`)}</span>,
      more: <StepMore step={key} isDone={isDone} isNext={key === next} facts={facts} />,
    }),
  );
  return (
    <Panel
      title={next ? t('setup.title') : t('setup.allDone')}
      about={next ? t('setup.progress', { done, count: steps.length }) : t('setup.allDoneAbout')}
      actions={takesPayments(steps) && <Button onPress={hide}>{t('setup.hide')}</Button>}
    >
      <progress className={styles.bar} value={done} max={steps.length} aria-label={t('setup.title')} />
      <Steps steps={shown} label={t('setup.title')} />
    </Panel>
  );
}

type StepMoreProps = { step: SetupStepKey; isDone: boolean; isNext: boolean; facts: SetupFactsQuery };

/** A completed step shows no further text, except for the networks, because each has its own address. */
function StepMore({ step, isDone, isNext, facts }: StepMoreProps) {
  const { t } = useTranslation();
  if (isDone) return step === 'payout' && <Networks facts={facts} isStarted />;
  return (
    <>
      <p>{t(`setup.steps.${step}.about`)}</p>
      {step === 'payout' && <Networks facts={facts} />}
      <StepActions step={step} isNext={isNext} facts={facts} />
    </>
  );
}

/** Once one address is set, each missing one has its own link. Before that, the button of the step leads to all of them. */
function Networks({ facts, isStarted }: { facts: SetupFactsQuery; isStarted?: boolean }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const networks = networksOf(settings.chains, { mode: app.mode, payouts: facts.app?.payoutAddresses ?? [] });
  return (
    <ul className={styles.networks}>
      {networks.map(({ family, chains, isSet }) => (
        <li key={family} data-network={family} data-set={isSet}>
          <Icon name={isSet ? 'check' : 'minus'} />
          <span>
            {t(`setup.networks.${isSet ? 'set' : 'unset'}`, { chains })}{' '}
            {!isSet && isStarted && <Link href="/settings?part=payouts">{t('setup.networks.add')}</Link>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function StepActions({ step, isNext, facts }: Omit<StepMoreProps, 'isDone'>) {
  const { t } = useTranslation();
  const { mayWrite, isOwner } = useDashboard();
  const look = isNext ? ({ look: 'primary', size: 'small' } as const) : ({ size: 'small' } as const);
  const to = (href: string, words: ReactNode, looks: Parameters<typeof buttonClass>[0] = look) => (
    <Link href={href} className={buttonClass(looks)}>
      {words}
    </Link>
  );
  const link = facts.paymentLinks.nodes[0];
  switch (step) {
    case 'payout':
      return mayWrite && <p className={styles.actions}>{to('/settings?part=payouts', t('setup.steps.payout.go'))}</p>;
    case 'request':
      return (
        <p className={styles.actions}>
          {mayWrite && to('/links?new=1', t('setup.steps.request.go'))}
          {to('/developers?tab=keys', t('setup.steps.request.api'), { size: 'small' })}
        </p>
      );
    case 'payment':
      if (!link) return null;
      return link.isPayable ? (
        <p className={styles.actions}>
          <ButtonLink {...look} href={link.paymentUrl} target="_blank" rel="noreferrer" icon="external">
            {t('setup.steps.payment.go')}
          </ButtonLink>
        </p>
      ) : (
        <p>{t('setup.steps.payment.unpayable')}</p>
      );
    case 'webhook':
      return <p className={styles.actions}>{to('/developers?tab=webhooks', t('setup.steps.webhook.go'))}</p>;
    case 'live':
      if (!settings.chains.some((chain) => !chain.isTest)) return <p>{t('setup.steps.live.noChains')}</p>;
      return isOwner ? (
        <p className={styles.actions}>{to('/settings?part=apps', t('setup.steps.live.go'))}</p>
      ) : (
        <p>{t('setup.steps.live.owner')}</p>
      );
    default:
      return step satisfies never;
  }
}

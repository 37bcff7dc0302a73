/** The top bar: the selected app, its mode, the search, and the member. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { useTheme } from '../../ui/use-theme.ts';
import { languages, switchLanguage } from '../../words/open-words.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { Search } from './search.tsx';
import styles from './shell.module.css';

const languageNames = { en: 'English', de: 'Deutsch' };

export function TopBar({ openDrawer }: { openDrawer: () => void }) {
  const { t } = useTranslation();
  return (
    <header className={styles.bar}>
      <Button
        look="bare"
        icon="menu"
        className={styles.drawerButton}
        onPress={openDrawer}
        aria-label={t('shell.openNavigation')}
      />
      <AppSwitch />
      <Search />
      <AccountMenu />
    </header>
  );
}

function AppSwitch() {
  const { t } = useTranslation();
  const { app, apps, chooseApp } = useDashboard();
  const entries = (['LIVE', 'TEST'] as const).flatMap((mode) => {
    const own = apps.filter((one) => one.mode === mode);
    return own.length === 0
      ? []
      : [
          { kind: 'group' as const, key: mode, words: t(`shell.mode.${mode}`) },
          ...own.map((one) => ({
            key: one.id,
            words: one.name,
            isChosen: one.id === app.id,
            onSelect: () => chooseApp(one.id),
          })),
        ];
  });
  return (
    <div className={styles.appSwitch}>
      <Menu
        align="start"
        entries={entries}
        trigger={
          <Button look="bare" className={styles.appButton} aria-label={t('shell.app.switch', { name: app.name })}>
            <span className={styles.appName}>{app.name}</span>
          </Button>
        }
      />
      <span className={app.mode === 'TEST' ? styles.test : styles.live}>{t(`shell.mode.${app.mode}`)}</span>
    </div>
  );
}

function AccountMenu() {
  const { t, i18n } = useTranslation();
  const { member, logOut } = useDashboard();
  const [theme, setTheme] = useTheme();
  const showToast = useToasts();
  const [isLeaving, setLeaving] = useState(false);
  const leave = (everywhere: boolean) => {
    setLeaving(true);
    logOut(everywhere).catch(() => {
      setLeaving(false);
      showToast({ title: t('shell.account.stillHere'), more: t('everywhere.fault.NETWORK'), tone: 'bad' });
    });
  };
  return (
    <Menu
      trigger={
        <Button
          look="bare"
          icon="people"
          isBusy={isLeaving}
          aria-label={t('shell.account.of', { email: member.email })}
        />
      }
      entries={[
        {
          kind: 'group',
          key: 'who',
          words: (
            <>
              {member.email}
              <br />
              {t(`shell.role.${member.role}`)}
            </>
          ),
        },
        { kind: 'separator', key: 'one' },
        ...(['system', 'light', 'dark'] as const).map((one) => ({
          key: one,
          words: t(`shell.theme.${one}`),
          isChosen: theme === one,
          onSelect: () => setTheme(one),
        })),
        { kind: 'separator', key: 'two' },
        ...languages.map((one) => ({
          key: one,
          words: languageNames[one],
          isChosen: i18n.language === one,
          onSelect: () => void switchLanguage(one),
        })),
        { kind: 'separator', key: 'three' },
        { key: 'out', words: t('shell.account.logOut'), onSelect: () => leave(false) },
        { key: 'everywhere', words: t('shell.account.logOutEverywhere'), isDanger: true, onSelect: () => leave(true) },
      ]}
    />
  );
}

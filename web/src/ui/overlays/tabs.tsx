/** The tabs of a page, of which one is shown. The caller stores which one, preferably in the address bar. */
import * as Radix from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';
import styles from './overlays.module.css';

type TabsProps<Key extends string> = {
  label: string;
  chosen: Key;
  onChoose: (key: Key) => void;
  tabs: readonly { key: Key; title: ReactNode; content: ReactNode }[];
};

export function Tabs<Key extends string>({ label, chosen, onChoose, tabs }: TabsProps<Key>) {
  const choose = (value: string) => {
    const tab = tabs.find((one) => one.key === value);
    if (tab) onChoose(tab.key);
  };
  return (
    <Radix.Root value={chosen} onValueChange={choose}>
      <Radix.List className={styles.tabList} aria-label={label}>
        {tabs.map(({ key, title }) => (
          <Radix.Trigger key={key} value={key} className={styles.tab}>
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ key, content }) => (
        <Radix.Content key={key} value={key} className={styles.tabPanel}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

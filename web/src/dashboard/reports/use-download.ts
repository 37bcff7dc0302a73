/** Downloads one file at a time, and cancels the download when the component is unmounted. */
import { useEffect, useRef, useState } from 'react';
import { readFile } from '../../api/read-file.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useDashboard } from '../session/use-dashboard.ts';

type Download = {
  isBusy: boolean;
  fault: unknown;
  save: (path: string, name: string) => Promise<void>;
  /** The file's text. Undefined after an error. */
  read: (path: string) => Promise<string | undefined>;
};

export function useDownload(): Download {
  const { credential } = useDashboard();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const fetchFile = async (path: string): Promise<Blob | undefined> => {
    const stop = new AbortController();
    running.current?.abort();
    running.current = stop;
    setFault(undefined);
    setBusy(true);
    try {
      return await readFile(path, { credential, signal: stop.signal });
    } catch (error) {
      if (!stop.signal.aborted) setFault(error);
      return undefined;
    } finally {
      if (running.current === stop) setBusy(false);
    }
  };
  return {
    isBusy,
    fault,
    save: async (path, name) => {
      const file = await fetchFile(path);
      if (file) saveFile([file], { name, type: file.type });
    },
    read: async (path) => await (await fetchFile(path))?.text(),
  };
}

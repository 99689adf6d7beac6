import { readdir, readFile } from 'node:fs/promises';

/** Kills the process in which the emulator runs a function: what the loss of a machine of Lambda's looks like. */
export async function killWorker(functionName: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await runs(pid, functionName)) ? [pid] : [])));
  const workers = found.flat();
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}

async function runs(pid: number, functionName: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    return environment.split('\0').includes(`AWS_LAMBDA_FUNCTION_NAME=${functionName}`);
  } catch {
    return false; // it has ended, or is another user's
  }
}

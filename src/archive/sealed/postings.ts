/**
 * The postings of one term, in one disjoint run per source. They ascend once every run is closed.
 */
export type Postings = Columns & {
  posts: number;
  positionCount: number;
  positions: Uint32Array;
  run: number;
  runCopy: Columns;
};

type Columns = {
  numbers: Uint32Array;
  starts: Uint32Array;
  counts: Uint32Array;
};

const createColumns = (): Columns => ({
  numbers: new Uint32Array(1_024),
  starts: new Uint32Array(1_024),
  counts: new Uint32Array(1_024),
});

export const createPostings = (): Postings => ({
  ...createColumns(),
  posts: 0,
  positionCount: 0,
  positions: new Uint32Array(1_024),
  run: 0,
  runCopy: createColumns(),
});

export function clearPostings(postings: Postings): void {
  postings.posts = 0;
  postings.positionCount = 0;
  postings.run = 0;
}

export function addPost(postings: Postings, number: number): void {
  const { posts } = postings;
  if (posts === postings.numbers.length) growColumns(postings);
  postings.numbers[posts] = number;
  postings.starts[posts] = postings.positionCount;
  postings.counts[posts] = 0;
  postings.posts = posts + 1;
}

/** Positions must ascend within a post. */
export function addPosition(postings: Postings, position: number): void {
  const { positionCount } = postings;
  if (positionCount === postings.positions.length)
    postings.positions = doubleCapacity(postings.positions);
  postings.positions[positionCount] = position;
  postings.positionCount = positionCount + 1;
  const post = postings.posts - 1;
  postings.counts[post] = valueAt(postings.counts, post) + 1;
}

export function closeRun(postings: Postings): void {
  const { run, posts, numbers } = postings;
  if (posts - run > 1 && valueAt(numbers, run) > valueAt(numbers, run + 1)) {
    numbers.subarray(run, posts).reverse();
    postings.starts.subarray(run, posts).reverse();
    postings.counts.subarray(run, posts).reverse();
  }
  if (run > 0 && run < posts && valueAt(numbers, run - 1) > valueAt(numbers, run))
    mergeRun(postings);
  postings.run = postings.posts;
}

function mergeRun(postings: Postings): void {
  const { run, posts, numbers, starts, counts, runCopy: runColumns } = postings;
  while (runColumns.numbers.length < posts - run) growColumns(runColumns);
  runColumns.numbers.set(numbers.subarray(run, posts));
  runColumns.starts.set(starts.subarray(run, posts));
  runColumns.counts.set(counts.subarray(run, posts));
  let left = run - 1;
  let right = posts - run - 1;
  for (let target = posts - 1; right >= 0; target -= 1) {
    if (left >= 0 && valueAt(numbers, left) > valueAt(runColumns.numbers, right)) {
      numbers[target] = valueAt(numbers, left);
      starts[target] = valueAt(starts, left);
      counts[target] = valueAt(counts, left);
      left -= 1;
      continue;
    }
    numbers[target] = valueAt(runColumns.numbers, right);
    starts[target] = valueAt(runColumns.starts, right);
    counts[target] = valueAt(runColumns.counts, right);
    right -= 1;
  }
}

function growColumns(columns: Columns): void {
  columns.numbers = doubleCapacity(columns.numbers);
  columns.starts = doubleCapacity(columns.starts);
  columns.counts = doubleCapacity(columns.counts);
}

function doubleCapacity(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

const valueAt = (array: Uint32Array, index: number): number => array[index] as number;

/**
 * The system calls that a command must not make, as a program for the kernel's filter: those that create
 * namespaces within the sandbox (which would escape its limits), reach the keyring, sockets of other machines
 * or kernel interfaces that no build needs, allocate memory that is not mapped and so not counted, or open
 * files that are in no process's list.
 */

/** Numbers of `asm/unistd.h`; a call that is missing on a processor is left out. */
interface Numbers {
  readonly audit: number;
  readonly refused: readonly number[];
  /** Refused as unknown, so that programs take another way. */
  readonly unknown: readonly number[];
  /** Attributes of files, which a file system in memory keeps without a bound. Refused as one does that has none. */
  readonly attributes: readonly number[];
  readonly clone: number;
  readonly unshare: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly shmget: number;
  readonly semget: number;
  readonly ioctl: number;
  readonly fcntl: number;
  /** Calls that set rights, with the place of the rights among their arguments. */
  readonly rights: readonly (readonly [call: number, argument: number])[];
}

/** The same number on every processor: clone3, io_uring, memfd_secret, openat2, then the mount calls of 5.2 and later. */
const everywhere = {
  unknown: [435, 425, 426, 427, 447, 437],
  refused: [428, 429, 430, 431, 432, 433, 442],
};

const numbersOf: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: {
    audit: 0xc000003e,
    refused: [
      ...everywhere.refused,
      // mount, umount2, pivot_root, chroot, setns, open_by_handle_at
      ...[165, 166, 155, 161, 308, 304],
      // add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd
      ...[248, 249, 250, 321, 298, 323],
      // init_module, delete_module, finit_module, kexec_load, kexec_file_load, syslog, fanotify_init, quotactl
      ...[175, 176, 313, 246, 320, 103, 300, 179],
    ],
    // memfd_create, io_setup, vmsplice
    unknown: [...everywhere.unknown, 319, 206, 278],
    // setxattr, lsetxattr, fsetxattr, setxattrat
    attributes: [188, 189, 190, 463],
    clone: 56,
    unshare: 272,
    socket: 41,
    socketpair: 53,
    shmget: 29,
    semget: 64,
    ioctl: 16,
    fcntl: 72,
    // open, creat, mkdir, chmod, fchmod, mknod, openat, mkdirat, mknodat, fchmodat, fchmodat2
    rights: [
      ...([
        [2, 2],
        [85, 1],
        [83, 1],
        [90, 1],
        [91, 1],
        [133, 1],
      ] as const),
      ...([
        [257, 3],
        [258, 2],
        [259, 2],
        [268, 2],
        [452, 2],
      ] as const),
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      ...everywhere.refused,
      ...[40, 39, 41, 51, 268, 265],
      ...[217, 218, 219, 280, 241, 282],
      ...[105, 106, 273, 104, 294, 116, 262, 60],
    ],
    unknown: [...everywhere.unknown, 279, 0, 75],
    attributes: [5, 6, 7, 463],
    clone: 220,
    unshare: 97,
    socket: 198,
    socketpair: 199,
    shmget: 194,
    semget: 190,
    ioctl: 29,
    fcntl: 25,
    rights: [
      [52, 1],
      [56, 3],
      [34, 2],
      [33, 2],
      [53, 2],
      [452, 2],
    ],
  },
};

const closeRange = 436;

/** CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}. */
const newNamespaces = 0x7e020000;
/** CLONE_NEWTIME, which `clone` reads as a part of a signal. */
const newTime = 0x80;
/** CLONE_THREAD and CLONE_FILES: a thread with separate open files, which its process does not list. */
const asThread = 0x10000;
const sharingFiles = 0x400;
/** CLOSE_RANGE_UNSHARE. */
const closeInOwnCopy = 2;
/** Local, IPv4, IPv6, and the kernel's own list of network interfaces. */
const families = [1, 2, 10, 16];
/** The largest shared segment of System V, in bytes: databases lock with one of 56. */
const largestSegment = 64 * 1024;
/** The most semaphores in one set: each is memory of the kernel's, and there may be 32,000 sets. */
const largestSet = 64;
/**
 * A program that runs with the rights of its owner or its group for any user: it would outlive the sandbox.
 */
const rightsOfOwner = 0o6000;
/** Inserts characters into a terminal's input. */
const typeIntoTerminal = 0x5412;

/** F_SETSIG: a connection that wakes its owner with any signal would continue a stopped process. */
const chooseSignal = 10;

const errors = { EPERM: 1, EINVAL: 22, ENOSPC: 28, ENOSYS: 38, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 } as const;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff0000);
const kill = answer(0x80000000);
const refuse = (error: keyof typeof errors): Instruction => answer(0x00050000 | errors[error]);
const equal = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const atLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value];
const hasBits = (bits: number, yes: number, no: number): Instruction => [0x45, yes, no, bits];

const offsetOfNumber = 0;
const offsetOfProcessor = 4;
/** The lower half of an argument; both processors are little-endian. */
const argument = (index: number): number => 16 + index * 8;
const upperHalf = 4;

/** Of a call that was recognised: looks at it and answers. */
const when = (number: number, then: readonly Instruction[]): readonly Instruction[] => [
  equal(number, 0, then.length),
  ...then,
];

/** The filter as the kernel takes it, or null on a processor whose numbers are not known here. */
export function seccompFilter(processor: NodeJS.Architecture = process.arch): Buffer | null {
  const numbers = numbersOf[processor];
  if (!numbers) return null;
  const refuseFamilies = (allowed: readonly number[]): readonly Instruction[] => [
    load(argument(0)),
    ...allowed.map((family, index) => equal(family, allowed.length - index, 0)),
    refuse("EAFNOSUPPORT"),
    allow,
  ];
  const program: readonly Instruction[] = [
    load(offsetOfProcessor),
    // A second set of numbers would be a way around all of these.
    equal(numbers.audit, 1, 0),
    kill,
    load(offsetOfNumber),
    ...(processor === "x64" ? [atLeast(0x40000000, 0, 1), refuse("ENOSYS")] : []),
    ...numbers.refused.flatMap((number) => when(number, [refuse("EPERM")])),
    ...numbers.unknown.flatMap((number) => when(number, [refuse("ENOSYS")])),
    ...numbers.attributes.flatMap((number) => when(number, [refuse("EOPNOTSUPP")])),
    ...when(numbers.clone, [
      load(argument(0)),
      hasBits(newNamespaces, 2, 0),
      hasBits(asThread, 0, 2),
      hasBits(sharingFiles, 1, 0),
      refuse("EPERM"),
      allow,
    ]),
    ...when(numbers.unshare, [
      load(argument(0)),
      hasBits(newNamespaces | newTime | sharingFiles, 0, 1),
      refuse("EPERM"),
      allow,
    ]),
    ...when(numbers.socket, refuseFamilies(families)),
    ...when(numbers.socketpair, refuseFamilies([1])),
    ...when(numbers.shmget, [
      load(argument(1) + upperHalf),
      equal(0, 0, 2),
      load(argument(1)),
      atLeast(largestSegment + 1, 0, 1),
      refuse("ENOSPC"),
      allow,
    ]),
    ...when(numbers.semget, [load(argument(1)), atLeast(largestSet + 1, 0, 1), refuse("ENOSPC"), allow]),
    ...when(closeRange, [load(argument(2)), hasBits(closeInOwnCopy, 0, 1), refuse("EINVAL"), allow]),
    ...numbers.rights.flatMap(([call, place]) =>
      when(call, [load(argument(place)), hasBits(rightsOfOwner, 0, 1), refuse("EPERM"), allow]),
    ),
    ...when(numbers.ioctl, [load(argument(1)), equal(typeIntoTerminal, 0, 1), refuse("EPERM"), allow]),
    ...when(numbers.fcntl, [load(argument(1)), equal(chooseSignal, 0, 1), refuse("EINVAL"), allow]),
    allow,
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}

"""The torture list: every program by theme, and what its trace must hold."""


class Expected:
    """How often `beat` is called, in all processes that are recorded. `least`: more may be. `script`: a shell's words
    instead of the program itself, which is $0. `reason`: what `info` says instead, as nobody knows what is left."""

    def __init__(self, beats=200, least=None, script=None, reason=None):
        self.beats, self.least, self.script, self.reason = beats, least, script, reason

    def is_script(self):
        return self.script is not None

    def command(self, program, name):
        return ["bash", "-c", self.script, program] if self.script else [program, name]

    def check_beats(self, test, seen):
        if self.least is not None:
            test.assertGreaterEqual(seen, self.least, "calls of beat")
        else:
            test.assertEqual(seen, self.beats, "calls of beat")


def exactly(beats, names):
    return {name: Expected(beats) for name in names.split()}


def at_least(beats, names):
    return {name: Expected(least=beats) for name in names.split()}


def stopped(reason, names):
    return {name: Expected(least=0, reason=reason) for name in names.split()}


def known(reason, theme, names):
    return {(theme, name): reason for name in names.split()}


THEMES = {
    "memory": {
        **exactly(200, "errno_at_the_start asked_for_functions contexts alternate_stacks handlers waited_for executed"),
        **exactly(300, "tables_are_unmapped"),
        **exactly(900, "tables_are_unmapped_among_threads"),
        **stopped("its file was cut short, or the file's memory unmapped",
                  "file_is_cut file_is_cut_to_a_page cut_with_handlers cut_while_all_is_blocked cut_and_crashing"
                  " unmapped_while_all_is_blocked"
                  " cut_and_ended memory_is_unmapped"),
        **exactly(100, "bus_error_that_is_blocked own_fault_that_is_blocked"),
        **exactly(500, "blocked_for_the_next"),
        # Cut to nothing once more after recording has stopped, the file holds no reason.
        **at_least(0, "pages_are_unmapped_at_random cut_again_and_again"),
    },
    "descriptors": {
        **exactly(200, "dup2_to_700 dup2_to_all end_of_pipe f_dupfd close_in_a_loop close_by_range close_from"
                " close_by_system_call close_unshared close_the_standard_ones count_in_proc count_open count_by_poll"
                " count_in_child lowest_in_a_thread unshared_table pass_over_socket limit_of_4 limit_of_0 all_taken"
                " select_at_the_end record_locks folder_is_gone epoll_and_memory_files"),
        "count_after_exec": Expected(300),
        "exec_with_limit_of_4": Expected(300),
        "log_of_a_shell": Expected(0, script="exec 700>>log; echo first >&700; for ((i = 0; i < 20000; i++)); do"
                                             " x=${x:0:50}$((i * 7919 % 1013)); y=${x//1/a}; done; echo last >&700;"
                                             " exec 700>&-; cat log"),
        "closed_by_a_shell": Expected(200, script='for ((n = 3; n < 800; n++)); do eval "exec $n>&-"; done;'
                                                  ' exec "$0" count_in_proc'),
    },
    "limits": {
        **exactly(100, "core_0_and_abort"),
        **exactly(200, "little_locked no_more_processes"),
        **exactly(300, "nothing_special address_space_100_mb data_100_mb all_locked no_pending_signals some_depth"
                       " stack_of_100_kb"),
        **exactly(400, "exec_with_address_space_100_mb exec_with_data_100_mb exec_with_stack_of_64_kb"
                       " exec_with_unlimited_stack"),
        **exactly(1200, "address_space_is_full"),
        # Recording ends where no more room can be had.
        **at_least(100, "exec_with_address_space_20_mb processor_time exec_with_file_size_0 file_size_0"
                        " file_size_handled mappings_are_used_up"),
    },
    "filters": {
        **exactly(100, "strict_by_seccomp killed_by_its_own_call"),
        **exactly(200, "strict killing_by_prctl killing_by_seccomp killing_by_system_call killing_by_instruction"
                       " refusing_all without_a_tracer no_new_executable_memory_or_death"),
        **exactly(201, "trapping"),
        **exactly(300, "killing_a_thread no_new_executable_memory"),
        **exactly(500, "threads_afterwards threads_beforehand"),
        # The child, and what is executed, may go unrecorded.
        **at_least(100, "no_counter inherited_by_a_child inherited_by_exec_refusing inherited_by_exec_killing write_or_execute"
                        " write_or_execute_or_death"),
    },
    "signals": {
        **exactly(100, "fault_while_blocked ignored_fault abort_that_is_blocked broken_pipe end_of_a_file"),
        **exactly(101, "once exit_in_a_handler abort_that_is_handled"),
        **exactly(200, "sent_to_itself waited_for told safe_fetches changed_registers callers_of_a_fault stepped_over"
                       " division_by_zero user_faults"),
        **exactly(201, "then_inherited"),
        **exactly(202, "set_by_system_call"),
        **exactly(203, "interrupted_calls masks"),
        **exactly(240, "queue_of_real_time"),
        **exactly(250, "nested"),
        **exactly(300, "suspended stop_and_go_on"),
        **exactly(301, "inherited"),
        **exactly(500, "barriers_of_memory"),
        **exactly(1200, "safe_fetches_leaving left_behind"),
        **at_least(201, "children timer_threads timers_of_processor_time"),
        **at_least(700, "storm"),
        **at_least(2200, "crossfire"),
    },
    "stacks": {
        **exactly(100, "overflow"),
        **exactly(200, "deep overflow_of_a_thread"),
        **exactly(204, "states_of_alternate_stack"),
        **exactly(210, "large_frames"),
        **exactly(220, "changing_frames"),
        **exactly(300, "all_of_a_stack"),
        **exactly(360, "contexts_on_small_stacks"),
        **exactly(400, "on_misaligned_stack thread_on_this_stack"),
        **exactly(500, "thread_on_own_memory"),
        **exactly(700, "on_any_stack on_low_stack on_growing_stack on_stack_in_data least_alternate_stack"
                       " usual_alternate_stack"),
        **exactly(2200, "threads_of_least_stack"),
        # docs/limits.md: less, where a stack overflows while a batch is made.
        **at_least(100, "survived_overflow"),
    },
    "code": {
        **exactly(200, "copied own_bytes changed_in_the_middle changed_at_the_start moved_to_other_pages full_x87"
                       " indirect_functions reversed_direction"),
        **exactly(300, "flipped mapped_twice on_the_heap nested_functions rounding_and_masks errors_stay returns_twice"
                       " aligned_stack"),
        **exactly(301, "long_doubles"),
        **exactly(325, "arguments_of_all_kinds"),
        **exactly(400, "computed_jumps"),
        **exactly(500, "entered_in_the_middle"),
        **exactly(700, "writable_and_executable at_low_addresses"),
        **exactly(800, "in_threads"),
    },
    # Each process has two more beats in constructors, and one in a destructor if it comes to that.
    "processes": {
        **exactly(102, "abort_at_the_end killed_by_itself"),
        **exactly(103, "then_exit_with_9 quick exit_from_a_thread"),
        **exactly(104, "ends_in_a_constructor exit_again_at_the_end"),
        **exactly(105, "registered"),
        **exactly(203, "main_thread_first refused"),
        **exactly(208, "forked_in_a_handler forked_without_handlers_in_a_handler"),
        **exactly(218, "handlers_of_fork"),
        **exactly(223, "generations"),
        **exactly(243, "many"),
        **exactly(303, "then_beat forked daemon_of_its_own forked_in_a_thread system_call_ends_a_thread deletes_itself"
                       " with_parents_signal cloned_without_memory forked_by_system_call forked_by_clone"
                       " forked_by_clone3 forked_without_handlers forked_without_handlers_in_a_thread"),
        **exactly(306, "spawned by_a_shell"),
        **exactly(404, "ends_in_a_destructor"),
        **exactly(405, "executed_from_memory executed_again executed_without_arguments_of_note"),
        **exactly(506, "executed_after_it_was_deleted"),
        **exactly(1112, "vforked"),
        **exactly(1203, "forked_beside_threads"),
        **at_least(102, "end_from_a_thread"),
        **at_least(405, "exec_from_a_thread"),
        # What a process in its parent's memory calls is recorded in part.
        **at_least(203, "cloned_with_memory cloned_with_all cloned_by_system_call"),
        # docs/limits.md: a child that begins unseen writes among its parent's last calls until it is found out.
        **at_least(100, "forked_by_instruction forked_by_instruction_of_clone forked_by_instruction_of_clone3"),
    },
    "users": {
        **exactly(300, "user_of_a_thread child_in_namespaces"),
        **exactly(500, "no_capabilities not_dumpable no_proc"),
        **exactly(520, "to_and_fro"),
        **exactly(600, "no_new_privileges exec_without_proc exec_of_a_script_without_proc process_namespace"
                       " fixed_addresses"),
        **exactly(700, "exec_in_process_namespace"),
        **exactly(800, "masks other_namespaces"),
        # Where the run directory cannot be written, new processes go unrecorded.
        **at_least(100, "unrecorded_children set_user_and_exec unreadable"),
        **at_least(300, "set_user nobody_and_not_dumpable other_root other_root_and_user pivot no_temporary_files"
                        " read_only_system user_namespace"),
    },
}

# Defects that are known, with their reason: expected to fail, and an error when they pass, so that they go from here.
PENDING = {}

# What docs/limits.md says.
LIMITS = {
    **known("address space is reserved before the program limits its own", "limits", "address_space_100_mb"),
    **known("a filter that is set without the C library is not seen", "filters", "killing_by_instruction"),
    **known("a filter that was there before the program started is not seen", "filters",
            "inherited_by_exec_killing write_or_execute_or_death"),
    **known("the code of functions begins with jumps", "code", "copied own_bytes"),
    **known("a call with the direction flag set leaves it clear", "code", "reversed_direction"),
    **known("what destructors call in a thread that has ended", "processes", "main_thread_first"),
}

// The predicted efficiency of distributed products on more processes than a machine has.
#pragma once

namespace bench {

/// Measures the rates of one process and prints the table: at each number of processes, the share of the time that is
/// computation. `gigabytes` is what a process receives in a second, and `microseconds` the latency of a message.
void print_model(double gigabytes, double microseconds);

}  // namespace bench

// A model of the time that PDGEMM takes on many ranks (docs/distributed.md).
#pragma once

#include <string>

namespace bench {

/// Prints the predicted share of the time in which a process computes, on 4 to 4096 processes. The rates of one process
/// are measured. A process receives `gigabytes` in a second, and a message takes `microseconds` in addition.
void print_model(double gigabytes, double microseconds);

/// The model with rates that are measured on all processes at the same time: products of one order, and messages to the
/// next process. All processes call the constructor.
class Prediction {
 public:
  explicit Prediction(int order);
  std::string rates() const;
  /// The share of computation in a product of order n on p x q processes, predicted, and by its time.
  double predicted(double n, int p, int q, bool cr) const;
  double measured(double n, int p, int q, bool cr, double seconds) const;

 private:
  double native_ = 0, cr_ = 0, bandwidth_ = 0, latency_ = 0;
};

}  // namespace bench
